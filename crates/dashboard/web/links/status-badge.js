// Says whether a link leads to its destination at the moment.
import { Icon } from '../parts/icon.js';
import { html } from '../view.js';
import { figures, say } from '../words.js';
import { STATUS_WORDS, statusOf } from './status.js';

/** @type {Record<import('./status.js').Status, [import('../parts/icon.js').IconName, string]>} */
const LOOKS = { active: ['check', 'good'], scheduled: ['calendar', ''], expired: ['clock', 'bad'], 'used-up': ['out', 'bad'], disabled: ['pause', 'warn'] };

/** @param {{ link: import('../api.js').Link, now: number, always?: boolean }} props `always` shows active ones too. */
export function StatusBadge({ link, now, always }) {
  const status = statusOf(link, now);
  const broken = link.broken && (status === 'active' || status === 'scheduled') && html`<${BrokenBadge} broken=${link.broken} />`;
  if (status === 'active' && (broken || !always)) return broken || '';
  const [icon, look] = LOOKS[status];
  const since = status === 'scheduled' && link.startsAt ? say('startsWhen', { when: figures.value.moment(link.startsAt) }) : status === 'expired' && link.expiration ? say('expiresAt', { when: figures.value.moment(link.expiration) }) : say(STATUS_WORDS[status]);
  return html`${broken}<span class="badge ${look}" data-status=${status} title=${since}><${Icon} name=${icon} /><span class="badge-text">${say(STATUS_WORDS[status])}</span></span>`;
}

/** @param {{ broken: NonNullable<import('../api.js').Link['broken']> }} props */
function BrokenBadge({ broken }) {
  const why = say('brokenSince', { when: figures.value.moment(broken.since), why: broken.error ?? String(broken.status) });
  return html`<span class="badge bad" data-status="broken" title=${why}><${Icon} name="warn" /><span class="badge-text">${say('statusBroken')}</span></span>`;
}
