// The link as messengers show it. The picture is a stranger's address, so it is
// named and not loaded.
import { Icon } from '../parts/icon.js';
import { hostOf } from '../text/shorten.js';
import { html } from '../view.js';
import { say } from '../words.js';

/** @param {{ draft: import('./draft.js').Draft }} props */
export function PreviewCard({ draft }) {
  if (!draft.title && !draft.description && !draft.image) return null;
  return html`<figure class="preview" aria-label=${say('asShared')}>
    <div class="preview-image"><${Icon} name="link" />${draft.image ? hostOf(draft.image) || draft.image : say('noImage')}</div>
    <figcaption><span class="hint">${hostOf(draft.url)}</span><strong>${draft.title || say('noTitle')}</strong><span>${draft.description}</span></figcaption></figure>`;
}
