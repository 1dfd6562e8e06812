// The way back from an action on many links.
import { batchLinks, listLinks, listTrash, readLink, restoreLink } from '../api.js';
import { each } from '../pool.js';
import { runBatch } from './batch.js';
import { keyOf, partsOf } from './key.js';

/** Links in one answer of the API. */
const PAGE = 100;

/** @typedef {Map<string, number | undefined>} Ends When links expire, by their keys. */

/**
 * When links expire, before that is changed.
 * @param {import('./batch.js').Target} target @param {import('../api.js').Link[]} shown Those of the list. @param {AbortSignal} signal
 * @returns {Promise<Ends>}
 */
export async function endsOf(target, shown, signal) {
  const found = [...shown];
  if ('keys' in target) {
    const known = new Set(shown.map(keyOf));
    // Some may have left the list since they were selected.
    const read = await each(target.keys.filter((key) => !known.has(key)), (key) => readLink(partsOf(key)), { signal });
    const failed = read.find(({ error }) => error && /** @type {any} */ (error).status !== 404);
    if (failed) throw failed.error;
    found.push(...read.flatMap(({ result }) => result?.link ?? []));
  } else for (let cursor = /** @type {string | undefined} */ (undefined), complete = false; !complete;) {
    const page = await listLinks({ ...target.filter, domain: target.domain, limit: PAGE, cursor }, signal);
    found.push(...page.links);
    complete = page.list_complete;
    cursor = page.cursor;
  }
  return new Map(found.map((link) => [keyOf(link), link.expiration]));
}

/**
 * Undoes an action for the links that it changed.
 * @param {any} body What was sent for them. @param {string[]} keys @param {Ends} ends When they expired before.
 * @returns {Promise<number>} How many links are as before.
 */
export async function undoBatch(body, keys, ends) {
  if (body.action === 'delete') return bringBack(new Set(keys));
  let done = 0;
  const { signal } = new AbortController();
  const send = (/** @type {any} */ back, /** @type {string[]} */ some) => runBatch(batchLinks, back, { keys: some }, { signal, onPage: ({ totals }) => { done += totals.done; } });
  if (body.tags) await send({ action: body.action === 'addTags' ? 'removeTags' : 'addTags', tags: body.tags }, keys);
  else for (const [expiration, some] of Map.groupBy(keys.filter((key) => ends.has(key)), (key) => ends.get(key))) await send(expiration ? { action: 'setExpiration', expiration } : { action: 'clearExpiration' }, some);
  return done;
}

/** Brings links back that were deleted last. @param {Set<string>} keys Taken from it as they are found. */
async function bringBack(keys) {
  let done = 0;
  const failures = /** @type {unknown[]} */ ([]);
  for (let cursor = /** @type {string | undefined} */ (undefined), complete = false; !complete && keys.size > 0;) {
    const page = await listTrash({ limit: PAGE, domain: '*', cursor });
    const ours = page.links.filter(({ link }) => keys.delete(keyOf(link)));
    const results = await each(ours, ({ link, version }) => restoreLink({ id: link.id, version }));
    for (const { error } of results) error ? failures.push(error) : (done += 1);
    complete = page.list_complete;
    cursor = page.cursor;
  }
  if (failures.length > 0) throw failures[0];
  return done;
}
