// The latest visits, newest first.

/** @typedef {import('../api.js').Schemas['EventView']} Visit */

/** Kept in sight; older ones leave. */
export const MOST = 200;

/**
 * Adds visits that are not there yet. The stream and the list tell of the same ones.
 * @param {Visit[]} known @param {Visit[]} added Newest first. @returns {Visit[]}
 */
export function withVisits(known, added) {
  const ids = new Set(known.map(({ id }) => id));
  const fresh = added.filter(({ id }) => !ids.has(id));
  if (fresh.length === 0) return known;
  return [...fresh, ...known].sort((a, b) => b.timestamp - a.timestamp).slice(0, MOST);
}

/** @param {Visit[]} visits @param {number} now In Unix seconds. */
export const inLastMinute = (visits, now) => visits.filter(({ timestamp }) => timestamp > now - 60).length;

/** Seconds before the next attempt: doubled up to half a minute. @param {number} failures */
export const waitAfter = (failures) => Math.min(30, 2 ** failures);
