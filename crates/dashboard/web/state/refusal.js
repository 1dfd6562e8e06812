// Why the server would refuse changes at the moment. Controls that it would
// refuse are off while there is a reason, and on again when it is gone.
import { computed, signal } from '../view.js';
import { say } from '../words.js';
import { may } from './session.js';

/** @typedef {import('../api.js').Schemas['RunView']} Run */

/** Whether the instance is a demonstration, as it says of itself or said when it refused a change. */
export const demonstration = signal(false);

/** Whether links are locked because they are being moved here from an older store. */
export const moving = signal(false);

/** How often links came back after they had been locked: part of the key of what is loaded. */
export const returns = signal(0);

/** Links can be used again. */
export function unlock() {
  if (!moving.value) return;
  moving.value = false;
  returns.value += 1;
}

/**
 * Why something is refused: a word, or the scope that the token lacks. Empty when it is not.
 * @typedef {'' | 'migrating' | 'previewMode' | import('./session.js').Scope} Refusal
 */

/** The scope, if the token lacks it. @param {import('./session.js').Scope} scope @returns {Refusal} */
export const lacking = (scope) => (may(scope) ? '' : scope);

/** What a token must permit for a page to show anything. @type {Partial<Record<import('../address.js').Page, import('./session.js').Scope>>} */
const NEEDS = { links: 'links:read', analytics: 'analytics:read', live: 'analytics:read', audit: 'admin', trash: 'links:read' };

/** The scope that a page needs and the token lacks. @param {import('../address.js').Page} page @returns {Refusal} */
export function lackingFor(page) {
  const needed = NEEDS[page];
  return needed ? lacking(needed) : '';
}

/** Why links cannot be made. @type {import('../view.js').Signal<Refusal>} */
export const refusalOfNew = /** @type {any} */ (computed(() => (moving.value ? 'migrating' : lacking('links:write'))));

/** Why what reads or asks for all links is refused, where a demonstration forbids it. @type {import('../view.js').Signal<Refusal>} */
export const refusalOfCheck = /** @type {any} */ (computed(() => (moving.value ? 'migrating' : demonstration.value ? 'previewMode' : lacking('links:read'))));

/** Why links cannot be exported with their stored passwords. @type {import('../view.js').Signal<Refusal>} */
export const refusalOfExport = /** @type {any} */ (computed(() => refusalOfCheck.value || lacking('admin')));

/** Why links that are there cannot be changed or deleted. @type {import('../view.js').Signal<Refusal>} */
export const refusalOfChange = /** @type {any} */ (computed(() => refusalOfNew.value || (demonstration.value ? 'previewMode' : '')));

/** Why visits cannot be erased. @type {import('../view.js').Signal<Refusal>} */
export const refusalOfErasure = /** @type {any} */ (computed(() => (moving.value ? 'migrating' : demonstration.value ? 'previewMode' : lacking('admin'))));

/** A refusal in words; empty when there is none. @param {Refusal} refusal */
export function reason(refusal) {
  if (refusal === '') return '';
  return refusal === 'migrating' || refusal === 'previewMode' ? say(refusal) : say('tokenLacks', { scope: refusal });
}
