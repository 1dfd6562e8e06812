// A page of links, whatever the filters, with their visits.
import { counters, listLinks } from '../api.js';
import { listQuery } from './list-query.js';

/** @typedef {import('../api.js').Link} Link */
/** @typedef {import('./list-query.js').Filter} Filter */
/** @typedef {{ links: Link[], visits: Map<string, number> | undefined, estimated: boolean, cursor: string | undefined, complete: boolean }} Found `visits` by id, where the order is by visits. */

/** @param {Filter} filter @param {string | undefined} cursor @param {AbortSignal} [signal] @returns {Promise<Found>} */
export async function findLinks(filter, cursor, signal) {
  const page = await listLinks(listQuery(filter, cursor), signal);
  const visits = page.ranking ? new Map(page.links.map(({ id, visits: n }) => [id, n ?? 0])) : undefined;
  return { links: page.links, visits, estimated: page.ranking?.sampling.exact === false, cursor: page.cursor, complete: page.list_complete };
}

/** Visits by link id, of all time. @param {Link[]} links @param {AbortSignal} [signal] @returns {Promise<Map<string, number>>} */
export async function visitsOf(links, signal) {
  if (links.length === 0) return new Map();
  const answer = await counters({ id: links.map(({ id }) => id).join(',') }, signal);
  return new Map(answer.data.map(({ id, visits }) => [id ?? '', visits]));
}
