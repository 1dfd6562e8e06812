// The flag of a country, a small picture beside its name.
import { countryCodes } from '../text/country.js';
import { html } from '../view.js';

const FLAGS = new URL('../../vendor/country-flag-icons-1.6.20/', import.meta.url).href;

/** @param {{ code: string }} props The code has two capital letters (ISO 3166-1). */
export function Flag({ code }) {
  return countryCodes.includes(code) && html`<img class="flag" src=${`${FLAGS}${code}.svg`} alt="" width="18" height="12" loading="lazy" />`;
}
