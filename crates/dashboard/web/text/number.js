// Numbers, shares and ages as people read them.
import { formatter } from './formatter.js';

/** @param {string} language */
export function numbers(language) {
  const full = () => formatter(Intl.NumberFormat, language);
  const short = () => formatter(Intl.NumberFormat, language, { notation: 'compact', maximumFractionDigits: 1 });
  const percent = () => formatter(Intl.NumberFormat, language, { style: 'percent', maximumFractionDigits: 0 });
  const fine = () => formatter(Intl.NumberFormat, language, { style: 'percent', maximumFractionDigits: 1 });
  const age = (/** @type {Intl.RelativeTimeFormatStyle} */ style) => formatter(Intl.RelativeTimeFormat, language, { numeric: 'auto', style });
  const moment = () => formatter(Intl.DateTimeFormat, language, { dateStyle: 'medium', timeStyle: 'short' });
  return {
    /** `12,480`. @param {number} value */
    full: (value) => full().format(value),
    /** `12.5K`. @param {number} value */
    short: (value) => (value < 10_000 ? full() : short()).format(value),
    /** `33 %`; below one percent with a decimal. @param {number} part @param {number} whole */
    share: (part, whole) => (whole > 0 ? (part / whole < 0.01 ? fine() : percent()).format(part / whole) : ''),
    /** `8 %`, without sign. @param {number} ratio */
    change: (ratio) => percent().format(Math.abs(ratio)),
    /** `3 d ago`, `in 2 d`. @param {number} moment @param {number} now Both in Unix seconds. */
    age: (moment, now) => {
      const [value, unit] = ageParts(moment - now);
      const narrow = age('narrow').format(value, unit);
      // French and Portuguese have `-22 h` there, which reads as a number.
      return /^[-+\u2212]/.test(narrow) ? age('short').format(value, unit) : narrow;
    },
    /** `22 Nov 2026, 11:02`. @param {number} seconds Since 1970. */
    moment: (seconds) => moment().format(seconds * 1000),
  };
}

/**
 * How far an estimate is from the true number at most, in 95 of 100 cases.
 * @param {number | undefined} error The standard error; none of a count.
 */
export const marginOf = (error) => Math.round(1.96 * (error ?? 0));

const YEAR = 31_557_600;

/** @param {number} seconds @returns {[number, Intl.RelativeTimeFormatUnit]} */
export function ageParts(seconds) {
  const size = Math.abs(seconds);
  /** @type {[number, number, Intl.RelativeTimeFormatUnit][]} */
  const steps = [[60, 1, 'second'], [3600, 60, 'minute'], [86_400, 3600, 'hour'], [14 * 86_400, 86_400, 'day'], [60 * 86_400, 604_800, 'week'], [YEAR, YEAR / 12, 'month']];
  const [, length, unit] = steps.find(([below]) => size < below) ?? [0, YEAR, /** @type {const} */ ('year')];
  return [Math.trunc(seconds / length), unit];
}

/**
 * How much more, as a ratio: 0.08 for 8 % more. Unknown when there was nothing.
 * @param {number} now @param {number} before @returns {number | undefined}
 */
export function changeOf(now, before) {
  return before > 0 ? now / before - 1 : undefined;
}
