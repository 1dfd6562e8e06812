// Numbers on an axis.

/**
 * Round numbers from 0 to at least the largest value: steps of 1, 2 or 5 times
 * a power of ten.
 * @param {number} largest @param {number} [about] How many steps.
 */
export function ticks(largest, about = 4) {
  if (largest <= 0) return [0, 1];
  const rough = Math.max(1, largest / about);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const count = Math.ceil(largest / step);
  return Array.from({ length: count + 1 }, (_, n) => n * step);
}

/**
 * Which places of a row of labels are written, so that none touches the next.
 * @param {number} count @param {number} width @param {number} each Width of a label.
 */
export function labelled(count, width, each) {
  const most = Math.max(2, Math.floor(width / each));
  const step = [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 30, 48, 60, 90, 120, 180, 240, 365, 730].find((size) => count / size <= most) ?? Math.ceil(count / most);
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
}
