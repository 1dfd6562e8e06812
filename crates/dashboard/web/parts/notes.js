// What stands where there is nothing to show, or something went wrong.
import { html } from '../view.js';
import { say } from '../words.js';
import { Icon } from './icon.js';

/** @param {{ icon: import('./icon.js').IconName, title: string, text?: any, children?: any }} props */
export function Empty({ icon, title, text, children }) {
  return html`<div class="empty"><span class="empty-icon"><${Icon} name=${icon} /></span><p class="empty-title">${title}</p>${text && html`<p class="empty-text">${text}</p>`}${children}</div>`;
}

/** A text for a failed request. @param {any} error */
export function wording(error) {
  if (error?.status === 0) return say('unreachable');
  if (error?.status === 423) return say('migrating');
  if (error?.code === 'preview_mode') return say('previewMode');
  if (error?.retryAfter) return say('busyRetry', { n: error.retryAfter });
  return String(error?.message ?? error);
}

/** @param {{ error: any, again?: () => void }} props */
export function ErrorNote({ error, again }) {
  return html`<div class="error-note" role="alert"><${Icon} name="warn" /><span>${wording(error)} ${error?.code && html`<code>${error.code}</code>`}</span>
    ${again && html`<button type="button" class="button" onClick=${again}>${say('tryAgain')}</button>`}</div>`;
}

/** @param {{ done: number, all: number, label: string }} props */
export function Progress({ done, all, label }) {
  return html`<progress class="progress" value=${done} max=${Math.max(all, 1)} aria-label=${label}></progress>`;
}
