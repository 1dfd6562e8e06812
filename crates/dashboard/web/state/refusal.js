// Why the server would refuse changes at the moment. Controls that it would
// refuse are off while there is a reason, and on again when it is gone.
import { computed, signal } from '../view.js';

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

/** Why links cannot be made. @type {import('../view.js').Signal<'' | 'migrating'>} */
export const refusalOfNew = /** @type {any} */ (computed(() => (moving.value ? 'migrating' : '')));

/** Why links that are there cannot be changed or deleted. @type {import('../view.js').Signal<'' | 'migrating' | 'previewMode'>} */
export const refusalOfChange = /** @type {any} */ (computed(() => refusalOfNew.value || (demonstration.value ? 'previewMode' : '')));
