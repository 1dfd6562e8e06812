// Two versions of what two people changed at the same time.
import { html } from '../view.js';
import { say } from '../words.js';

/** @typedef {import('./draft.js').Draft} Draft */
/** @typedef {import('./merge.js').Member} Member */
/** @typedef {{ members: Member[], mine: Draft, theirs: Draft }} Dispute */

/** @type {Record<Member, import('../words.js').Word>} */
const NAMES = {
  url: 'destination', slug: 'shortLink', domain: 'domain', comment: 'note', tags: 'tags', expires: 'expires', passwordMode: 'password', password: 'password', apple: 'apple', google: 'google', geo: 'byCountry',
  title: 'title', description: 'description', image: 'image', withQuery: 'passQuery', cloaking: 'cloaking', proxy: 'proxy', unsafe: 'warn',
  disabled: 'statusDisabled', starts: 'starts', startUrl: 'startUrl', expiredUrl: 'expiredUrl', maxVisits: 'maxVisits', rules: 'rules', split: 'split', splitUntil: 'splitUntil', forwardPath: 'forwardPath', noindex: 'noindex',
};

/** @param {{ dispute: Dispute, draft: Draft, onChoose: (part: Partial<Draft>) => void }} props */
export function Conflict({ dispute, draft, onChoose }) {
  const { members, mine, theirs } = dispute;
  return html`<section class="conflict" role="alert" aria-label=${say('conflictTitle')}><h3>${say('conflictTitle')}</h3><p>${say('conflictText')}</p>
    ${members.map((member) => html`<fieldset key=${member} data-member=${member}><legend>${say(NAMES[member])}</legend>${/** @type {const} */ ([['conflictTheirs', theirs], ['conflictMine', mine]]).map(([word, version]) => html`<label key=${word} class="check"><input type="radio" name="conflict-${member}" checked=${same(draft[member], version[member])} onChange=${() => onChoose({ [member]: version[member] })} />
      <span><span class="hint">${say(word)}</span><span class="conflict-value">${shown(version[member])}</span></span></label>`)}</fieldset>`)}</section>`;
}

/** @param {unknown} one @param {unknown} other */
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** @param {Draft[Member]} value */
function shown(value) {
  if (typeof value === 'boolean') return say(value ? 'yes' : 'no');
  if (typeof value === 'string') return value || '–';
  const parts = value.map((/** @type {any} */ part) => (typeof part === 'string' ? part : `${'weight' in part ? `${part.weight} %` : part.country ?? JSON.stringify(part.when)}: ${part.url}`));
  return parts.join(', ') || '–';
}
