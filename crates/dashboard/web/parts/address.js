// An address in the room that there is.
import { headAndEnd } from '../text/middle.js';
import { bare } from '../text/shorten.js';
import { html } from '../view.js';

/** @param {{ url: string }} props */
export function Address({ url }) {
  const [head, end] = headAndEnd(bare(url));
  return html`<span class="address"><span>${head}</span>${end && html`<span class="address-end">${end}</span>`}</span>`;
}
