// Short confirmations at the bottom of the page.
import { signal } from '../view.js';

/** @typedef {{ text: string, run: () => void }} Action */
/** @typedef {{ id: number, text: string, tone: 'good' | 'bad', action?: Action | undefined }} Toast */

/** @type {import('../view.js').Signal<Toast[]>} */
export const toasts = signal([]);

const SHOWN_MS = 5_000;

/** One that offers something needs time to be read and reached. */
const OFFERED_MS = 10_000;
let last = 0;

/** @param {string} text @param {'good' | 'bad'} [tone] @param {Action} [action] What can be done about it while it is shown. */
export function toast(text, tone = 'good', action) {
  const id = (last += 1);
  const close = () => { toasts.value = toasts.value.filter((shown) => shown.id !== id); };
  toasts.value = [...toasts.value.slice(-2), { id, text, tone, action: action && { text: action.text, run: () => { close(); action.run(); } } }];
  setTimeout(close, action ? OFFERED_MS : SHOWN_MS);
}
