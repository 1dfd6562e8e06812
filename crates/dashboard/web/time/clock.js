// Moments on the clock of a time zone. Moments are Unix seconds.
import { formatter } from '../text/formatter.js';

/** @typedef {{ year: number, month: number, day: number, hour: number, minute: number, second: number }} Reading */

/** @param {string} zone */
const formatFor = (zone) => formatter(Intl.DateTimeFormat, 'en-US', {
  timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric',
  hour: 'numeric', minute: 'numeric', second: 'numeric',
});

let own = '';

/** The zone of this browser. */
export const ownZone = () => (own ||= Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC');

/** Whether this browser knows the zone. @param {string} zone */
export function knowsZone(zone) {
  try {
    formatFor(zone);
    return true;
  } catch {
    return false;
  }
}

/** Every zone this browser can name, UTC first. */
export function allZones() {
  const known = Intl.supportedValuesOf ? Intl.supportedValuesOf('timeZone') : [];
  return ['UTC', ...known.filter((zone) => zone !== 'UTC')];
}

/**
 * What a clock in the zone shows.
 * @param {number} moment @param {string} zone @returns {Reading}
 */
export function read(moment, zone) {
  const reading = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const part of formatFor(zone).formatToParts(moment * 1000)) {
    if (part.type in reading) reading[/** @type {keyof Reading} */ (part.type)] = Number(part.value);
  }
  return reading;
}

/** @param {Reading} reading */
function asUtc(reading) {
  const { year, month, day, hour, minute, second } = reading;
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

/**
 * The first moment at which a clock in the zone shows this, or the first after
 * the gap when it never does.
 * @param {Partial<Reading> & { year: number, month: number, day: number }} wanted
 * @param {string} zone
 */
export function momentOf(wanted, zone) {
  const full = { hour: 0, minute: 0, second: 0, ...wanted };
  const target = asUtc(full);
  // The offset a day before and a day after: one of them is in force.
  const offsets = [target - 86_400, target + 86_400].map((near) => asUtc(read(near, zone)) - near);
  const found = offsets.map((offset) => target - offset).filter((moment) => asUtc(read(moment, zone)) === target);
  return found.length > 0 ? Math.min(...found) : target - Math.min(...offsets);
}

/** @param {number} number */
const two = (number) => String(number).padStart(2, '0');

/** `2026-11-22`. @param {{ year: number, month: number, day: number }} date */
export function dateText({ year, month, day }) {
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
}

/** `2026-11-22 14`, `2026-11-22 14:05` or `2026-11-22`, as the API writes buckets. @param {Reading} reading @param {'minute' | 'hour' | 'day'} unit */
export function bucketText(reading, unit) {
  const date = dateText(reading);
  if (unit === 'day') return date;
  return unit === 'hour' ? `${date} ${two(reading.hour)}` : `${date} ${two(reading.hour)}:${two(reading.minute)}`;
}

/** A date so many days later. @param {string} date @param {number} days */
export function addDays(date, days) {
  const { year, month, day } = parseDate(date);
  return new Date(Date.UTC(year, month - 1, day + days)).toISOString().slice(0, 10);
}

/** @param {string} date `2026-11-22` */
export function parseDate(date) {
  const [year, month, day] = date.split('-').map(Number);
  return { year: year ?? 0, month: month ?? 1, day: day ?? 1 };
}

/** Days from one date to another. @param {string} from @param {string} to */
export function daysBetween(from, to) {
  const at = (/** @type {string} */ date) => Date.parse(`${date}T00:00:00Z`);
  return Math.round((at(to) - at(from)) / 86_400_000);
}

/** The first moment of a date in the zone. @param {string} date @param {string} zone */
export function startOfDay(date, zone) {
  return momentOf(parseDate(date), zone);
}

/** Today's date in the zone. @param {number} now @param {string} zone */
export function dateAt(now, zone) {
  return dateText(read(now, zone));
}
