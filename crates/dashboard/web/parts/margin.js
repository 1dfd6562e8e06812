// How far the true number may be from an estimate.
import { html } from '../view.js';
import { figures, say } from '../words.js';

/** @param {{ of: number, margin: number }} props */
export function Margin({ of, margin }) {
  if (margin === 0) return '';
  const text = say('marginText', { low: Math.max(0, of - margin), high: of + margin });
  return html`<span class="margin" title=${text}><span aria-hidden="true">±${figures.value.full(margin)}</span><span class="off-screen">${text}</span></span>`;
}
