// A page of links, whatever the filters. The API finds by text without whole
// rows today, so those are read one by one; a single request can replace that.
import { counters, listLinks, readLink, searchLinks } from '../api.js';
import { each } from '../pool.js';

/** @typedef {import('../api.js').Link} Link */
/** @typedef {{ q?: string, tag?: string, status?: string, sort?: string }} Filter */
/** @typedef {{ links: Link[], cursor: string | undefined, complete: boolean }} Found */

export const PAGE_SIZE = 50;

/** @param {Filter} filter @param {string | undefined} cursor @param {AbortSignal} [signal] @returns {Promise<Found>} */
export async function findLinks({ q, tag, status, sort }, cursor, signal) {
  if (!q) {
    const page = await listLinks({ limit: PAGE_SIZE, cursor, sort, tag, status }, signal);
    return { links: page.links, cursor: page.cursor, complete: page.list_complete };
  }
  const found = await searchLinks({ q, tag, status, limit: PAGE_SIZE }, signal);
  const read = await each(found, ({ slug }) => readLink(slug, signal), { atOnce: 6, ...(signal ? { signal } : {}) });
  const links = read.flatMap(({ result }) => (result ? [result] : []));
  return { links, cursor: undefined, complete: true };
}

/** Visits by link id, of all time. @param {Link[]} links @param {AbortSignal} [signal] @returns {Promise<Map<string, number>>} */
export async function visitsOf(links, signal) {
  if (links.length === 0) return new Map();
  const answer = await counters({ id: links.map(({ id }) => id).join(',') }, signal);
  return new Map(answer.data.map(({ id, visits }) => [id ?? '', visits]));
}
