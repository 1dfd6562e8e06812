// One link in the list.
import { addressOf } from '../address.js';
import { Address } from '../parts/address.js';
import { CopyButton, IconButton } from '../parts/controls.js';
import { Menu, MenuItem } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { domainName, several } from '../state/domains.js';
import { reason, refusalOfChange } from '../state/refusal.js';
import { follow, go } from '../state/router.js';
import { html } from '../view.js';
import { figures, say } from '../words.js';
import { keyOf, shownKey } from './key.js';
import { shortLink } from './short-link.js';
import { StatusBadge } from './status-badge.js';

/** @typedef {import('../api.js').Link} Link */

/**
 * @param {object} props
 * @param {Link} props.link
 * @param {number | undefined} props.visits Unknown while they are on their way.
 * @param {number} props.now
 * @param {boolean} props.selected
 * @param {boolean} props.current
 * @param {(selected: boolean, range: boolean) => void} props.onSelect
 * @param {(what: 'edit' | 'qr' | 'history' | 'delete' | 'copy-of' | 'tag' | 'switch', value?: string) => void} props.onAct
 */
export function Row({ link, visits, now, selected, current, onSelect, onAct }) {
  const open = (/** @type {any} */ event) => {
    if (!event.target.closest('a, button, input, label, .menu') && !String(getSelection())) onAct('edit');
  };
  const key = keyOf(link);
  return html`<li class="row ${selected ? 'selected' : ''} ${current ? 'current' : ''}" data-slug=${key} onClick=${open}>
    <label class="row-check"><input type="checkbox" checked=${selected} aria-label=${say('selectLink', { link: shownKey(key) })} onClick=${(/** @type {any} */ event) => onSelect(event.currentTarget.checked, event.shiftKey)} /></label>
    <div class="row-main">
      <a class="row-slug mono" href=${addressOf('links', { edit: key })} onClick=${(/** @type {MouseEvent} */ event) => { follow(event, 'links', {}); onAct('edit'); }}>${several.value && html`<span class="row-host">${domainName(link.domain)}</span>`}/${link.slug}</a>
      <${Badges} link=${link} now=${now} />
    </div>
    <div class="row-url" title=${link.url}><${Address} url=${link.url} />${link.comment && html`<span class="row-note">${link.comment}</span>`}</div>
    <div class="row-tags">${link.tags.slice(0, 2).map((name) => html`<button key=${name} type="button" class="chip" onClick=${() => onAct('tag', name)}>${name}</button>`)}${link.tags.length > 2 && html`<span class="chip quiet" title=${link.tags.slice(2).join(', ')}>+${link.tags.length - 2}</span>`}</div>
    <a class="row-visits" href=${addressOf('analytics', { slug: key })} title=${say('seeAnalytics')} onClick=${(/** @type {MouseEvent} */ event) => follow(event, 'analytics', { slug: key })}>
      <${Icon} name="bars" /><span>${visits === undefined ? '–' : figures.value.short(visits)}</span><span class="off-screen">${say('visits')}</span>${link.visitsBefore && html`<span class="row-before" title=${say('visitsBefore', { n: link.visitsBefore })}>+${figures.value.short(link.visitsBefore)}</span>`}</a>
    <time class="row-age" onPointerEnter=${(/** @type {any} */ event) => { event.currentTarget.title = figures.value.moment(link.createdAt); }}>${figures.value.age(link.createdAt, now)}</time>
    <div class="row-actions">
      <${CopyButton} text=${shortLink(link)} label=${say('copyLink')} />
      <${IconButton} icon="qr" label=${say('qrCode')} onClick=${() => onAct('qr')} />
      <${Menu} label=${say('more')} button=${html`<${Icon} name="more" />`}>
        <${MenuItem} icon="edit" onClick=${() => onAct('edit')}>${say('edit')}<//>
        <${MenuItem} icon="bars" onClick=${() => go('analytics', { slug: key })}>${say('pageAnalytics')}<//>
        <${MenuItem} icon="copy" onClick=${() => onAct('copy-of')}>${say('duplicate')}<//>
        <${MenuItem} icon="clock" onClick=${() => onAct('history')}>${say('history')}<//>
        <a class="menu-item" href=${shortLink(link)} target="_blank" rel="noreferrer"><${Icon} name="link" /><span>${say('openLink')}</span></a>
        <${MenuItem} icon=${link.disabled ? 'resume' : 'pause'} off=${reason(refusalOfChange.value)} onClick=${() => onAct('switch')}>${say(link.disabled ? 'enable' : 'disable')}<//>
        <${MenuItem} icon="trash" danger off=${reason(refusalOfChange.value)} onClick=${() => onAct('delete')}>${say('delete')}<//>
      <//>
    </div>
  </li>`;
}

/** @param {{ link: Link, now: number }} props */
function Badges({ link, now }) {
  const badges = [html`<${StatusBadge} key="s" link=${link} now=${now} />`];
  if (link.expiration && link.expiration > now) badges.push(html`<span key="e" class="badge" title=${say('expiresAt', { when: figures.value.moment(link.expiration) })}><${Icon} name="clock" /><span class="badge-text">${figures.value.age(link.expiration, now)}</span></span>`);
  if (link.password) badges.push(html`<span key="p" class="badge" title=${say('hasPassword')}><${Icon} name="lock" /><span class="off-screen">${say('hasPassword')}</span></span>`);
  if (link.unsafe) badges.push(html`<span key="u" class="badge warn" title=${say('warnsVisitors')}><${Icon} name="warn" /><span class="off-screen">${say('warnsVisitors')}</span></span>`);
  return badges;
}
