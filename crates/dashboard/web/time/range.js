// The spans of time that a page can show. A span's name stands in the address:
// a preset (`7d`), two dates (`2026-11-01..2026-11-14`) or two moments in Unix
// seconds (`1762041600..1762045200`).
import { addDays, dateAt, dateText, daysBetween, read, startOfDay } from './clock.js';

/** @typedef {'minute' | 'hour' | 'day'} Unit */
/**
 * First and last second, both included. A span of whole days names its first
 * and last date; the last one may be under way.
 * @typedef {{ name: string, start: number, end: number, first?: string, last?: string }} Range
 */

/** In the order of the menu. */
export const PRESETS = /** @type {const} */ (['today', 'yesterday', '24h', '7d', '30d', 'month', 'last-month', '90d', '12m', 'all']);

export const DEFAULT_RANGE = '7d';

/** @param {string} first @param {string} last @param {string} zone @param {number} now @param {string} name @returns {Range} */
function days(first, last, zone, now, name) {
  const end = startOfDay(addDays(last, 1), zone) - 1;
  const start = startOfDay(first, zone);
  return { name, start, end: Math.max(start, Math.min(end, now)), first, last };
}

/**
 * The span that a name stands for; the default one for a name that is none.
 * @param {string} name @param {string} zone @param {number} now @returns {Range}
 */
export function rangeOf(name, zone, now) {
  const today = dateAt(now, zone);
  const { year, month } = read(now, zone);
  const lastDays = (/** @type {number} */ count) => days(addDays(today, 1 - count), today, zone, now, name);
  switch (name) {
    case 'today': return lastDays(1);
    case 'yesterday': return days(addDays(today, -1), addDays(today, -1), zone, now, name);
    case '24h': return { name, start: now - 86_399, end: now };
    case '7d': return lastDays(7);
    case '30d': return lastDays(30);
    case '90d': return lastDays(90);
    case '12m': return lastDays(365);
    case 'month': return days(dateText({ year, month, day: 1 }), today, zone, now, name);
    case 'last-month': {
      const end = addDays(dateText({ year, month, day: 1 }), -1);
      return days(`${end.slice(0, 8)}01`, end, zone, now, name);
    }
    case 'all': return { name, start: 0, end: now };
    default: return freeRange(name, zone, now) ?? rangeOf(DEFAULT_RANGE, zone, now);
  }
}

/** @param {string} name @param {string} zone @param {number} now @returns {Range | undefined} */
function freeRange(name, zone, now) {
  const dates = /^(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)$/.exec(name);
  if (dates?.[1] && dates[2]) {
    const valid = [dates[1], dates[2]].every((date) => addDays(date, 0) === date);
    return valid && dates[1] <= dates[2] ? days(dates[1], dates[2], zone, now, name) : undefined;
  }
  const moments = /^(\d{6,11})\.\.(\d{6,11})$/.exec(name);
  const [start, end] = [Number(moments?.[1]), Number(moments?.[2])];
  return moments && start <= end ? { name, start, end } : undefined;
}

/** The name of a span of dates. @param {string} first @param {string} last */
export const namedByDates = (first, last) => `${first}..${last}`;

/** The name of a span of moments. @param {number} start @param {number} end */
export const namedByMoments = (start, end) => `${start}..${end}`;

/**
 * The name of the span of the same length before or after this one; none when
 * it has no length or would lie in the future.
 * @param {Range} range @param {-1 | 1} direction @param {string} zone @param {number} now
 * @returns {string | undefined}
 */
export function stepped(range, direction, zone, now) {
  if (range.name === 'all') return undefined;
  if (range.first && range.last) {
    const isMonth = range.first.endsWith('-01') && (range.name === 'month' || addDays(range.last, 1).endsWith('-01'));
    const [first, last] = isMonth
      ? neighbouringMonth(range.first, direction)
      : shiftedDates(range.first, range.last, direction);
    return startOfDay(first, zone) > now ? undefined : namedByDates(first, last);
  }
  const length = range.end - range.start + 1;
  const start = range.start + direction * length;
  return start > now ? undefined : namedByMoments(start, start + length - 1);
}

/** @param {string} first @param {-1 | 1} direction @returns {[string, string]} */
function neighbouringMonth(first, direction) {
  const start = direction < 0 ? `${addDays(first, -1).slice(0, 8)}01` : `${addDays(first, 31).slice(0, 8)}01`;
  return [start, addDays(`${addDays(start, 31).slice(0, 8)}01`, -1)];
}

/** @param {string} first @param {string} last @param {-1 | 1} direction @returns {[string, string]} */
function shiftedDates(first, last, direction) {
  const length = (daysBetween(first, last) + 1) * direction;
  return [addDays(first, length), addDays(last, length)];
}

/** How a span is compared. */
export const COMPARISONS = /** @type {const} */ (['none', 'previous', 'weekday', 'year']);

/**
 * The earlier span beside this one, up to the same time of day when this one is
 * not over. Nothing comes before all time.
 * @param {Range} range @param {string} how @param {string} zone
 * @returns {Range | undefined}
 */
export function comparedWith(range, how, zone) {
  if (range.name === 'all' || how === 'none') return undefined;
  const length = range.first && range.last ? daysBetween(range.first, range.last) + 1 : Math.ceil((range.end - range.start) / 86_400);
  /** @type {Record<string, number>} */
  const shifts = { previous: length, weekday: Math.ceil(length / 7) * 7, year: 364 };
  const shift = shifts[how];
  if (shift === undefined) return undefined;
  if (!range.first || !range.last) {
    const by = how === 'previous' ? range.end - range.start + 1 : shift * 86_400;
    return { name: 'earlier', start: range.start - by, end: range.end - by };
  }
  const first = addDays(range.first, -shift);
  const last = addDays(range.last, -shift);
  const start = startOfDay(first, zone);
  return { name: 'earlier', start, end: start + (range.end - range.start), first, last };
}

/** Buckets between 24 and 400: minutes up to six hours, hours up to fourteen days, else days. @param {Range} range @returns {Unit} */
export function fittingUnit(range) {
  const hours = (range.end - range.start) / 3600;
  if (hours <= 6) return 'minute';
  return hours <= 14 * 24 ? 'hour' : 'day';
}

/** The units that draw a readable number of points. @param {Range} range @returns {Unit[]} */
export function possibleUnits(range) {
  const hours = (range.end - range.start) / 3600;
  /** @type {Unit[]} */
  const units = [];
  if (hours <= 24) units.push('minute');
  if (hours > 1 && hours <= 90 * 24) units.push('hour');
  if (hours > 24) units.push('day');
  return units;
}
