// What the list asks for its first page. The page's start asks for it too, before
// the list is there.

/** @typedef {{ q?: string, tag?: string, status?: string, sort?: string }} Filter */

export const PAGE_SIZE = 50;

/** @param {Record<string, string>} query Of the address. @returns {Filter} */
export const filterOf = ({ q, tag, status, sort }) => ({ q, tag, status, sort });

/** @param {Filter} filter @param {string} [cursor] */
export const listQuery = ({ q, tag, status, sort }, cursor) => ({ limit: PAGE_SIZE, cursor, sort, q, tag, status });
