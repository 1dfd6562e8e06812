// Conditions of rules, in the form in which they are sent. What a form cannot show
// is told apart, so that it stays as it is.

/** @typedef {Record<string, any>} When Conditions by their kind, and `timeZone` beside them. */
/** @typedef {{ when: When, url: string }} Rule */
/** @typedef {'list' | 'choice' | 'flag' | 'bound' | 'parameters'} Shape `choice` is a list of values that are known. */

/** @type {Readonly<Record<string, { shape: Shape, word: import('../words.js').Word, values?: readonly string[] }>>} */
export const KINDS = {
  device: { shape: 'choice', word: 'devices', values: ['ios', 'android', 'mobile', 'tablet', 'desktop', 'windows', 'macos', 'linux', 'chromeos'] },
  browser: { shape: 'list', word: 'browsers' },
  country: { shape: 'list', word: 'countries' },
  region: { shape: 'list', word: 'regions' },
  city: { shape: 'list', word: 'cities' },
  continent: { shape: 'choice', word: 'continents', values: ['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'] },
  language: { shape: 'list', word: 'languages' },
  query: { shape: 'parameters', word: 'parameters' },
  referrer: { shape: 'list', word: 'referers' },
  from: { shape: 'bound', word: 'from' },
  until: { shape: 'bound', word: 'until' },
  weekday: { shape: 'choice', word: 'weekdays', values: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
  hours: { shape: 'list', word: 'hours' },
  bot: { shape: 'flag', word: 'withoutPerson' },
  network: { shape: 'list', word: 'networks' },
};

/** Whether a kind asks for a visitor's country, or for something nearer. @param {string} kind */
export const isCountry = (kind) => ['country', 'continent'].includes(kind);
/** @param {string} kind */
export const isCity = (kind) => ['region', 'city'].includes(kind);

const ZONE = 'timeZone';
const DAY = /^\d{4}-\d\d-\d\d$/;

/** The kinds that a rule has, known ones or not, in its order. @param {When} when */
export const kindsOf = (when) => Object.keys(when).filter((kind) => kind !== ZONE);

/** @param {string} kind @param {string} zone Of this browser, for clocks that nobody has named yet. @param {When} when @returns {When} */
export function withKind(when, kind, zone) {
  const shape = KINDS[kind]?.shape;
  const value = shape === 'flag' ? false : shape === 'bound' ? '' : shape === 'parameters' ? { '': true } : [];
  const timed = readsClock({ [kind]: value });
  return { ...when, [kind]: value, ...(timed && !when[ZONE] && zone !== 'UTC' ? { [ZONE]: zone } : {}) };
}

/** A zone without a condition that reads its clocks is refused, so it goes with the last one. @param {When} when @param {string} kind @returns {When} */
export function withoutKind(when, kind) {
  const { [kind]: _, ...rest } = when;
  return rest;
}

/** Whether days, weekdays or hours are those of a zone. @param {When} when */
export const readsClock = (when) => 'weekday' in when || 'hours' in when || ['from', 'until'].some((kind) => kind in when && typeof when[kind] !== 'number');

/** What is sent: no blanks around values, and no zone that nothing reads. @param {When} when @returns {When} */
export function sentWhen(when) {
  return Object.fromEntries(Object.entries(when).filter(([kind]) => kind !== ZONE || readsClock(when)));
}

/**
 * A list and whether it is turned; nothing if the value has a form that is not known here.
 * @param {string} kind @param {any} value @returns {{ values: string[], not: boolean } | undefined}
 */
export function listOf(kind, value) {
  const not = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).join() === 'not';
  const inner = not ? value.not : value;
  const values = typeof inner === 'string' ? [inner] : inner;
  if (!Array.isArray(values) || values.some((one) => typeof one !== 'string' || one.includes(','))) return undefined;
  const known = KINDS[kind]?.values;
  return known && values.some((one) => !known.includes(one)) ? undefined : { values, not };
}

/** @param {string[]} values @param {boolean} not */
export const asList = (values, not) => (not ? { not: values } : values);

/** `DE, AT`. @param {string} text */
export const valuesIn = (text) => text.split(',').map((value) => value.trim()).filter(Boolean);

/** Whether the form can show a condition. @param {string} kind @param {any} value */
export function isShown(kind, value) {
  switch (KINDS[kind]?.shape) {
    case 'list': case 'choice': return listOf(kind, value) !== undefined;
    case 'flag': return typeof value === 'boolean';
    case 'bound': return Number.isInteger(value) || value === '' || (typeof value === 'string' && DAY.test(value));
    case 'parameters': return typeof value === 'object' && value !== null && Object.values(value).every((one) => one === true || typeof one === 'string');
    default: return false;
  }
}

/** @template T @param {T[]} list @param {number} at @param {number} by @returns {T[]} */
export function moved(list, at, by) {
  const to = at + by;
  if (to < 0 || to >= list.length) return list;
  const next = [...list];
  next.splice(to, 0, ...next.splice(at, 1));
  return next;
}
