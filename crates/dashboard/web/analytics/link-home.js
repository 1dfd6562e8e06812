// The link that Analytics is about: its address, where it leads, how it is, and the ways on.
import { keyOf } from '../links/key.js';
import { shortLink } from '../links/short-link.js';
import { StatusBadge } from '../links/status-badge.js';
import { Address } from '../parts/address.js';
import { CopyButton } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { go } from '../state/router.js';
import { html } from '../view.js';
import { say } from '../words.js';

/** @param {{ link: import('../api.js').Link }} props */
export function LinkHome({ link }) {
  const address = shortLink(link);
  return html`<section class="card link-home" aria-label=${say('shortLink')}>
    <div><a class="mono" href=${address} target="_blank" rel="noreferrer">${address.replace(/^https?:\/\//, '')}</a><${CopyButton} text=${address} label=${say('copyLink')} /><${StatusBadge} link=${link} now=${Date.now() / 1000} always /></div>
    <div class="link-home-url" title=${link.url}><${Address} url=${link.url} /></div>
    ${link.tags.length > 0 && html`<div>${link.tags.map((name) => html`<button key=${name} type="button" class="chip" onClick=${() => go('links', { tag: name, domain: link.domain })}>${name}</button>`)}</div>`}
    <div class="push"><button type="button" class="button" onClick=${() => go('links', { qr: keyOf(link) })}><${Icon} name="qr" />${say('qrCode')}</button><button type="button" class="button" onClick=${() => go('links', { edit: keyOf(link) })}><${Icon} name="edit" />${say('edit')}</button></div>
  </section>`;
}
