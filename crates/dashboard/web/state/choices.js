// What a person chose for this browser.
import { effect, signal } from '../view.js';
import { store, stored } from './storage.js';

/** @param {string} name @param {string} otherwise */
function choice(name, otherwise) {
  const chosen = signal(stored('localStorage', name) ?? otherwise);
  effect(() => store('localStorage', name, chosen.value === otherwise ? undefined : chosen.value));
  return chosen;
}

/** `system`, `light` or `dark`. */
export const theme = choice('theme', 'system');
/** The values of `theme`, with their words. */
export const THEMES = /** @type {const} */ ([['system', 'themeSystem'], ['light', 'themeLight'], ['dark', 'themeDark']]);
/** `comfortable` or `compact`. */
export const density = choice('density', 'comfortable');
/** `on` or `off`: whether single keys are shortcuts. */
export const singleKeys = choice('keys', 'on');
/** A language of the page, or `system`. */
export const language = choice('language', 'system');
/** The last range, zone, comparison of Analytics, and whether bots were left out; empty for the defaults. */
export const lastRange = choice('range', '');
export const lastZone = choice('zone', '');
export const lastComparison = choice('compare', '');
export const lastBots = choice('bots', '');
/** The domain that was looked at last: empty for the default one, a host, or `*` for all. */
export const lastDomain = choice('domain', '');
/** `average` or `total`: whether the hours of the week are divided by how often they were. Empty: as fits the range. */
export const lastHeat = choice('heat', '');

effect(() => {
  const root = document.documentElement;
  if (theme.value === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme.value;
  root.dataset.density = density.value;
});
