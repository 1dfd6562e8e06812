// One action on many links: what is sent, piece by piece, and what came of it.
import { partsOf } from './key.js';

/** Slugs in one request, as the API has it. */
export const BATCH = 500;

/**
 * @typedef {import('../api.js').Schemas['BatchLinks']} Body
 * @typedef {import('../api.js').Schemas['LinkBatch']} Answer
 * @typedef {import('../api.js').Schemas['BatchResult']} Result
 * @typedef {{ keys: string[] } | { filter: { q?: string, tag?: string, status?: string }, domain: string }} Target By keys, or all of a domain that match
 * @typedef {Answer['totals']} Totals
 */

/** @returns {Totals} */
export const noTotals = () => ({ done: 0, unchanged: 0, notFound: 0, refused: 0, failed: 0 });

/** @param {Totals} one @param {Totals} other @returns {Totals} */
export const addTotals = (one, other) => ({
  done: one.done + other.done, unchanged: one.unchanged + other.unchanged, notFound: one.notFound + other.notFound,
  refused: one.refused + other.refused, failed: one.failed + other.failed,
});

/** @param {Totals} totals */
export const sumOf = ({ done, unchanged, notFound, refused, failed }) => done + unchanged + notFound + refused + failed;

/**
 * Sends an action for all links of a target. A filter is gone through from page
 * to page; keys are sent in pieces, and those of each domain apart. What was done before a failure or an abort
 * is reported, and stays done.
 * @param {(body: Body) => Promise<Answer>} send @param {Omit<Body, 'slugs' | 'domain' | 'filter' | 'cursor'>} action @param {Target} target
 * @param {{ signal: AbortSignal, onPage: (page: Answer) => void }} how
 */
export async function runBatch(send, action, target, { signal, onPage }) {
  if ('keys' in target) {
    for (const [domain, keys] of Map.groupBy(target.keys.map(partsOf), (key) => key.domain ?? '')) {
      for (let at = 0; at < keys.length && !signal.aborted; at += BATCH) {
        onPage(await send(/** @type {Body} */ ({ ...action, slugs: keys.slice(at, at + BATCH).map(({ slug }) => slug), ...(domain ? { domain } : {}) })));
      }
    }
    return;
  }
  for (let cursor = /** @type {string | undefined} */ (undefined), complete = false; !complete && !signal.aborted;) {
    const page = await send(/** @type {Body} */ ({ ...action, filter: target.filter, ...(target.domain ? { domain: target.domain } : {}), ...(cursor ? { cursor } : {}) }));
    onPage(page);
    complete = page.list_complete;
    cursor = page.cursor;
  }
}
