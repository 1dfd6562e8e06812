// The API leaves out minutes, hours and days without visits. A chart needs them.
import { addDays, bucketText, dateAt, read } from './clock.js';

/** @typedef {import('./range.js').Unit} Unit */
/** @typedef {{ time: string, visits: number, visitors: number, stdError?: { visits: number, visitors: number } }} Bucket `stdError` is of estimates only. */

/**
 * Every bucket of the span on the zone's clock, in order. An hour that the clock
 * skips is absent, an hour that it shows twice is one, as the API counts it.
 * @param {number} start @param {number} end @param {Unit} unit @param {string} zone
 * @returns {string[]}
 */
export function bucketsOf(start, end, unit, zone) {
  if (unit === 'day') return datesOf(dateAt(start, zone), dateAt(end, zone));
  /** @type {Set<string>} */
  const seen = new Set();
  const add = (/** @type {number} */ moment) => seen.add(bucketText(read(moment, zone), unit));
  const { minute, second } = read(start, zone);
  const step = unit === 'hour' ? 3600 : 60;
  add(start);
  // From one beginning to the next: no zone shifts by parts of an hour twice within the longest span of hours.
  for (let moment = start - (unit === 'hour' ? minute * 60 : 0) - second + step; moment <= end; moment += step) add(moment);
  add(end);
  return [...seen];
}

/** @param {string} first @param {string} last */
function datesOf(first, last) {
  const dates = [];
  for (let date = first; date <= last; date = addDays(date, 1)) dates.push(date);
  return dates;
}

/**
 * Rows of the API with the empty buckets between them. All time begins with the
 * first visit.
 * @param {Bucket[]} rows @param {import('./range.js').Range} range @param {Unit} unit @param {string} zone
 * @returns {Bucket[]}
 */
export function filled(rows, range, unit, zone) {
  const known = new Map(rows.map((row) => [row.time, row]));
  const names = range.name === 'all' ? allTime(rows, range.end, unit, zone) : bucketsOf(range.start, range.end, unit, zone);
  return names.map((time) => known.get(time) ?? { time, visits: 0, visitors: 0 });
}

/** @param {Bucket[]} rows @param {number} end @param {Unit} unit @param {string} zone */
function allTime(rows, end, unit, zone) {
  const first = rows[0]?.time;
  if (!first) return [];
  return unit === 'day' ? datesOf(first, dateAt(end, zone)) : rows.map((row) => row.time);
}
