// Short confirmations at the bottom of the page.
import { signal } from '../view.js';

/** @typedef {{ id: number, text: string, tone: 'good' | 'bad' }} Toast */

/** @type {import('../view.js').Signal<Toast[]>} */
export const toasts = signal([]);

const SHOWN_MS = 5_000;
let last = 0;

/** @param {string} text @param {'good' | 'bad'} [tone] */
export function toast(text, tone = 'good') {
  const id = (last += 1);
  toasts.value = [...toasts.value.slice(-2), { id, text, tone }];
  setTimeout(() => { toasts.value = toasts.value.filter((shown) => shown.id !== id); }, SHOWN_MS);
}
