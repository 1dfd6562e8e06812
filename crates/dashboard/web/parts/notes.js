// What stands where there is nothing to show, or something went wrong.
import { isPassing } from '../problem.js';
import { html, useEffect, useState } from '../view.js';
import { say } from '../words.js';
import { Icon } from './icon.js';

/** @param {{ icon: import('./icon.js').IconName, title: string, text?: any, children?: any }} props */
export function Empty({ icon, title, text, children }) {
  return html`<div class="empty"><span class="empty-icon"><${Icon} name=${icon} /></span><p class="empty-title">${title}</p>${text && html`<p class="empty-text">${text}</p>`}${children}</div>`;
}

/** A text for a failed request. @param {any} error */
export function wording(error) {
  if (error?.status === 0) return say(error.code === 'not_loaded' ? 'notLoaded' : 'unreachable');
  if (error?.status === 423) return say('migrating');
  if (error?.code === 'preview_mode') return say('previewMode');
  if (error?.scope) return say('tokenLacks', { scope: error.scope });
  if (error?.retryAfter) return say('busyRetry', { n: error.retryAfter });
  return String(error?.message ?? error);
}

/**
 * What passes is tried again by itself, when the server said or a little later.
 * @param {{ error: any, again?: () => void }} props
 */
export function ErrorNote({ error, again }) {
  const passing = again !== undefined && isPassing(error);
  const left = useCountdown(passing ? error.retryAfter ?? RETRY_SECONDS : 0, error, again);
  const text = passing && error.status !== 0 ? say('busyNow') : wording(error);
  return html`<div class="error-note" role="alert"><${Icon} name="warn" /><span>${text} ${error?.status !== 0 && error?.code && html`<code>${error.code}</code>`}</span>
    ${passing && html`<span class="error-wait" aria-hidden="true">${say('retryIn', { n: left })}</span>`}
    ${again && html`<button type="button" class="button" onClick=${again}>${say('tryAgain')}</button>`}</div>`;
}

/** Seconds until the next attempt when the server names none. */
const RETRY_SECONDS = 5;

/** Counts down once for each error, and then tries again. @param {number} seconds @param {any} error @param {(() => void) | undefined} again */
function useCountdown(seconds, error, again) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    let remaining = seconds;
    setLeft(remaining);
    if (remaining <= 0) return undefined;
    const timer = setInterval(() => {
      remaining -= 1;
      setLeft(Math.max(0, remaining));
      if (remaining > 0) return;
      clearInterval(timer);
      again?.();
    }, 1_000);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}

/** @param {{ done: number, all: number, label: string }} props */
export function Progress({ done, all, label }) {
  return html`<progress class="progress" value=${done} max=${Math.max(all, 1)} aria-label=${label}></progress>`;
}
