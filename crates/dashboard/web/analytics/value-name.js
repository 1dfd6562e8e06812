// Values as people read them.
import { shownKey } from '../links/key.js';
import { countryName, languageName } from '../text/country.js';
import { bare } from '../text/shorten.js';

/** @param {string} type @param {string} value @param {string} language @param {string} unknown */
export function valueName(type, value, language, unknown) {
  if (value === '') return unknown;
  if (type === 'tag') return value;
  if (type === 'country') return countryName(value, language);
  if (type === 'language') return languageName(value, language);
  if (type === 'slug') return shownKey(value);
  if (type === 'url') return bare(value);
  if (type === 'region' || type === 'city') return value.replace(/,(?=[^,]+$)/, ', ');
  return value;
}
