// The main chart as shapes: one point for each bucket, from edge to edge.

/** @typedef {{ width: number, height: number, left: number, right: number, top: number, bottom: number }} Frame */

/** Where a place stands. @param {number} place @param {number} count @param {Frame} frame */
export function xOf(place, count, { width, left, right }) {
  const inner = width - left - right;
  return round(left + (count > 1 ? (place / (count - 1)) * inner : inner / 2));
}

/** @param {number} value @param {number} top Of the scale. @param {Frame} frame */
export function yOf(value, top, frame) {
  const inner = frame.height - frame.top - frame.bottom;
  return round(frame.top + inner * (1 - value / top));
}

/** @param {number[]} values @param {number} top @param {Frame} frame @param {number} [count] Places on the axis, when there are more than values. */
export function linePath(values, top, frame, count = values.length) {
  return values.map((value, place) => `${place === 0 ? 'M' : 'L'}${xOf(place, count, frame)} ${yOf(value, top, frame)}`).join('');
}

/** The line with the space below it. @param {number[]} values @param {number} top @param {Frame} frame @param {number} [count] */
export function areaPath(values, top, frame, count = values.length) {
  if (values.length === 0) return '';
  const floor = frame.height - frame.bottom;
  return `${linePath(values, top, frame, count)}L${xOf(values.length - 1, count, frame)} ${floor}L${xOf(0, count, frame)} ${floor}Z`;
}

/** The space between the lowest and the highest that each value may truly be. @param {number[]} values @param {number[]} margins @param {number} top @param {Frame} frame */
export function bandPath(values, margins, top, frame) {
  if (!margins.some((margin) => margin > 0)) return '';
  const edge = (/** @type {number} */ sign) => values.map((value, place) => `${xOf(place, values.length, frame)} ${yOf(Math.max(0, value + sign * (margins[place] ?? 0)), top, frame)}`);
  return `M${[...edge(1), ...edge(-1).reverse()].join('L')}Z`;
}

/** The place nearest to a point. @param {number} x @param {number} count @param {Frame} frame */
export function placeAt(x, count, { width, left, right }) {
  const inner = width - left - right;
  const place = Math.round(((x - left) / Math.max(inner, 1)) * (count - 1));
  return Math.max(0, Math.min(count - 1, place));
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;
