// Whether the sides of a split differ from their weights by more than chance.

/** @typedef {{ seen: number, weight: number }} Side Visitors, and their share in percent. */

/** Fewer expected visitors of a side than this say nothing (the usual rule for this test). */
const LEAST_EXPECTED = 5;

/**
 * How often chance alone differs at least so much from the weights, in either direction:
 * Pearson's chi-squared test (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.15).
 * @param {readonly Side[]} sides @returns {number | undefined} 0 to 1; nothing where there are too few visitors, or one side alone.
 */
export function byChance(sides) {
  const meant = sides.filter(({ weight }) => weight > 0);
  const all = meant.reduce((sum, { seen }) => sum + seen, 0);
  const weights = meant.reduce((sum, { weight }) => sum + weight, 0);
  const terms = meant.map(({ seen, weight }) => ({ seen, expected: all * weight / weights }));
  if (meant.length < 2 || terms.some(({ expected }) => expected < LEAST_EXPECTED)) return undefined;
  const squared = terms.reduce((sum, { seen, expected }) => sum + (seen - expected) ** 2 / expected, 0);
  return beyond(squared, meant.length - 1);
}

/**
 * The chance that chi-squared is at least `x`, for whole degrees of freedom: from the one
 * or two below by the recurrence of the incomplete gamma function (NIST DLMF 8.8.2).
 * @param {number} x @param {number} freedom
 */
function beyond(x, freedom) {
  const half = x / 2;
  let term = freedom % 2 ? Math.sqrt(4 * half / Math.PI) * Math.exp(-half) : Math.exp(-half);
  let sum = freedom % 2 ? normalTails(Math.sqrt(x)) : term;
  if (freedom % 2 === 0) term *= half;
  for (let below = freedom % 2 ? 3 : 4; below <= freedom; below += 2) {
    sum += term;
    term *= half / (below / 2);
  }
  return Math.min(1, Math.max(0, sum));
}

/** The chance that a normal value is further than `z` from the middle, to seven digits (Abramowitz and Stegun 7.1.26). @param {number} z */
function normalTails(z) {
  const x = z / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  return t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * Math.exp(-x * x);
}

/**
 * Visitors and visits of each destination of a split, the main one last. Two sides
 * with one destination cannot be told apart and are one.
 * @param {{ url: string, split?: any[] }} link
 * @param {readonly { name: string, count: number, visitors?: number }[]} rows
 */
export function sidesOf({ url, split = [] }, rows) {
  /** @type {Map<string, number>} */
  const weights = new Map();
  const rest = 100 - split.reduce((sum, { weight }) => sum + weight, 0);
  for (const side of [...split, { url, weight: rest }]) weights.set(side.url, (weights.get(side.url) ?? 0) + side.weight);
  return [...weights].map(([name, weight]) => {
    const row = rows.find((one) => one.name === name);
    return { url: name, weight, visits: row?.count ?? 0, seen: row?.visitors ?? 0 };
  });
}
