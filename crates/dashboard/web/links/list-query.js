// What the list asks for its first page. The page's start asks for it too, before
// the list is there.

/** @typedef {{ q?: string, tag?: string, status?: string, sort?: string, domain?: string }} Filter */

export const PAGE_SIZE = 50;

/** @param {Record<string, string>} query Of the address. @param {string} domain Empty for the default one. @returns {Filter} */
export const filterOf = ({ q, tag, status, sort }, domain) => ({ q, tag, status, sort, domain });

/**
 * Two orders are by visits: those of all time, and those of the last 30 days, which
 * are the ones that the API takes when no span is named.
 * @param {Filter} filter @param {string} [cursor]
 */
export function listQuery({ q, tag, status, sort, domain }, cursor) {
  const order = sort === 'visits' ? { sort, startAt: cursor ? undefined : 0 } : sort === 'recent' ? { sort: 'visits' } : { sort };
  return { limit: PAGE_SIZE, cursor, q, tag, status, domain, ...order };
}
