// What a view of Analytics asks, read from its address.
import { COMPARISONS, DEFAULT_RANGE, fittingUnit, possibleUnits, rangeOf } from '../time/range.js';
import { comparable } from './comparable.js';
import { FILTERS } from './dimensions.js';

/** @typedef {import('../time/range.js').Range} Range */
/** @typedef {import('../time/range.js').Unit} Unit */
/**
 * @typedef {object} Question
 * @property {string} zone
 * @property {Range} range
 * @property {Unit} unit
 * @property {string} compare
 * @property {Record<string, string[]>} filters By type, only those that are set.
 * @property {string[]} lines Slugs that have a line each in the chart; none when it shows all of them together.
 */

/** Stands between values in an address. */
const BETWEEN = '~';

/**
 * @param {Record<string, string>} query @param {{ zone: string, range: string, compare: string }} otherwise What was chosen last.
 * @param {(zone: string) => boolean} knows @param {number} now @returns {Question}
 */
export function questionOf(query, otherwise, knows, now) {
  const zone = [query.zone, otherwise.zone].find((name) => name && knows(name)) ?? 'UTC';
  const range = rangeOf(query.range || otherwise.range || DEFAULT_RANGE, zone, now);
  const units = possibleUnits(range);
  const unit = units.find((possible) => possible === query.unit) ?? fittingUnit(range);
  const asked = query.compare || otherwise.compare;
  const compare = COMPARISONS.find((known) => known === asked) ?? 'none';
  /** @type {Record<string, string[]>} */
  const filters = {};
  for (const type of FILTERS) {
    // Slugs have no commas, so addresses may list them as the API does.
    const values = (query[type] ?? '').split(type === 'slug' ? /[~,]/ : BETWEEN).filter(Boolean);
    if (values.length > 0) filters[type] = [...new Set(values)];
  }
  const slugs = filters.slug ?? [];
  const lines = comparable(slugs) && query.sum !== '1' ? slugs : [];
  return { zone, range, unit, compare, filters, lines };
}

/**
 * The values of a filter once one was clicked: it joins, or leaves when it was
 * there. The API takes lists with commas, so a value that has one stands alone.
 * @param {Question['filters']} filters @param {string} type @param {string} value @returns {string | undefined}
 */
export function toggled(filters, type, value) {
  const values = filters[type] ?? [];
  const alone = [...values, value].some((one) => one.includes(','));
  const next = values.includes(value) ? values.filter((other) => other !== value) : alone ? [value] : [...values, value];
  return next.length > 0 ? next.join(type === 'slug' ? ',' : BETWEEN) : undefined;
}

/** The query of the API for these filters and this span. @param {Question['filters']} filters @param {Range} range */
export function apiQuery(filters, range) {
  /** @type {Record<string, string | number>} */
  const query = { startAt: range.start, endAt: range.end };
  for (const [type, values] of Object.entries(filters)) query[type] = values.join(',');
  return query;
}
