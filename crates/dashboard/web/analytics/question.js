// What a view of Analytics asks, read from its address.
import { ALL } from '../state/domain-choice.js';
import { COMPARISONS, DEFAULT_RANGE, fittingUnit, possibleUnits, rangeOf } from '../time/range.js';
import { comparable } from './comparable.js';
import { FILTERS } from './dimensions.js';

/** @typedef {import('../time/range.js').Range} Range */
/** @typedef {import('../time/range.js').Unit} Unit */
/** @typedef {{ values: string[], excluded: boolean }} Filter One of these values or, when excluded, none of them; empty is a value that is not known. */
/** @typedef {Record<string, Filter>} Filters By type, only those that are set. */
/** @typedef {'' | 'exclude' | 'only'} Bots */
/**
 * @typedef {object} Question
 * @property {string} zone
 * @property {Range} range
 * @property {Unit} unit
 * @property {string} compare
 * @property {Filters} filters
 * @property {Bots} bots
 * @property {string[]} slugs Keys of links that were chosen.
 * @property {string[]} lines Those that have a line each in the chart; none when it shows all of them together.
 */

/** Stands between values in an address. */
const BETWEEN = '~';

/** Stands for a value that is not known, as the API has it. */
const NONE = '(none)';

/**
 * @param {Record<string, string>} query @param {{ zone: string, range: string, compare: string, bots: string, domain?: string }} otherwise What was chosen last; `domain` is a filter of an address, empty for all.
 * @param {(zone: string) => boolean} knows @param {number} now @returns {Question}
 */
export function questionOf(query, otherwise, knows, now) {
  const zone = [query.zone, otherwise.zone].find((name) => name && knows(name)) ?? 'UTC';
  const range = rangeOf(query.range || otherwise.range || DEFAULT_RANGE, zone, now);
  const units = possibleUnits(range);
  const unit = units.find((possible) => possible === query.unit) ?? fittingUnit(range);
  const asked = query.compare || otherwise.compare;
  const compare = COMPARISONS.find((known) => known === asked) ?? 'none';
  const bots = /** @type {const} */ (['exclude', 'only']).find((known) => known === (query.bots || otherwise.bots)) ?? '';
  /** @type {Filters} */
  const filters = {};
  for (const type of FILTERS) {
    const filter = readFilter(type, query[type] ?? '');
    if (filter.values.length > 0) filters[type] = filter;
  }
  if (otherwise.domain && !query.domain) filters.domain = readFilter('domain', otherwise.domain);
  // A link that is named has its domain in its name.
  const slugs = filters.slug && !filters.slug.excluded ? filters.slug.values : [];
  if (slugs.length > 0 || query.domain === ALL) delete filters.domain;
  const lines = comparable(slugs) && query.sum !== '1' ? slugs : [];
  return { zone, range, unit, compare, filters, bots, slugs, lines };
}

/** A filter as it stands in an address: `!` begins one that excludes. @param {string} type @param {string} text @returns {Filter} */
function readFilter(type, text) {
  const excluded = text.startsWith('!');
  const list = excluded || text.startsWith('=') ? text.slice(1) : text;
  // Slugs have no commas, so addresses may list them as the API does.
  const values = list.split(type === 'slug' ? /[~,]/ : BETWEEN).filter(Boolean);
  return { excluded, values: [...new Set(values.map((value) => (value === NONE ? '' : value)))] };
}

/** @param {string} type @param {Filter} filter @returns {string | undefined} */
function writeFilter(type, { values, excluded }) {
  if (values.length === 0) return undefined;
  const text = values.map((value) => value || NONE).join(type === 'slug' ? ',' : BETWEEN);
  if (excluded) return `!${text}`;
  return /^[!=]/.test(text) ? `=${text}` : text;
}

/**
 * A filter once one of its values was clicked, as it stands in an address: the
 * value joins, or leaves when it was there. A filter either includes or excludes,
 * so a click of the other kind begins a new one. The API takes lists with commas,
 * so an included value that has one stands alone.
 * @param {Filters} filters @param {string} type @param {string} value @param {boolean} [excluded] @returns {string | undefined}
 */
export function toggled(filters, type, value, excluded = false) {
  const filter = filters[type];
  const values = filter?.excluded === excluded ? filter.values : [];
  const alone = !excluded && [...values, value].some((one) => one.includes(','));
  const next = values.includes(value) ? values.filter((other) => other !== value) : alone ? [value] : [...values, value];
  return writeFilter(type, { values: next, excluded });
}

/** The host, empty for the default domain, if a filter is one domain; undefined for any other filter. @param {Filters} filters */
export const oneDomain = ({ domain }) => (domain && !domain.excluded && domain.values.length === 1 ? domain.values[0] : undefined);

/** The query of the API for these filters and this span. @param {{ filters: Filters, bots: Bots }} question @param {Range} range */
export function apiQuery({ filters, bots }, range) {
  /** @type {Record<string, string | number>} */
  const query = { startAt: range.start, endAt: range.end };
  if (bots) query.bots = bots;
  for (const [type, { values, excluded }] of Object.entries(filters)) {
    query[type] = values.map((value) => (excluded ? '!' : '') + escaped(value)).join(',');
  }
  return query;
}

/** The API reads a mark before a value as "not", so a mark that belongs to it stands twice. @param {string} value */
const escaped = (value) => (value === '' ? NONE : value.replace(/(^|,)(\s*)(!+)/g, '$1$2$3$3'));
