// The question before an address replaces a session.
import { Dialog } from './parts/dialog.js';
import { accept, question } from './state/offer.js';
import { html } from './view.js';
import { say } from './words.js';

/** @param {{ asked: { offer: import('./state/first-token.js').Offer, name: string } }} props */
export function OfferDialog({ asked }) {
  const close = () => { question.value = undefined; };
  const name = asked.name === 'site' ? say('siteToken') : asked.name;
  const footer = html`<button type="button" class="button" onClick=${close}>${say('cancel')}</button>
    <button type="button" class="button primary" onClick=${() => accept(asked.offer)}>${say('signIn')}</button>`;
  return html`<${Dialog} title=${say('offerTitle')} class="small offer" onClose=${close} footer=${footer}><p>${say('offerText', { name })}</p><//>`;
}
