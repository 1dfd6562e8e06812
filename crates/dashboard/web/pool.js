// Many requests, a few at a time.

/**
 * Does the work for each item and reports each result as it comes. A failure
 * is a result too; an abort leaves the rest undone.
 * @template I, R
 * @param {I[]} items @param {(item: I) => Promise<R>} work
 * @param {{ atOnce?: number, signal?: AbortSignal, onResult?: (item: I, result: R | undefined, error: unknown) => void }} [how]
 * @returns {Promise<{ item: I, result?: R, error?: unknown }[]>} In the order of the items; those left undone are absent.
 */
export async function each(items, work, { atOnce = 4, signal, onResult } = {}) {
  /** @type {({ item: I, result?: R, error?: unknown } | undefined)[]} */
  const done = items.map(() => undefined);
  let next = 0;
  async function worker() {
    while (next < items.length && !signal?.aborted) {
      const place = next;
      next += 1;
      const item = /** @type {I} */ (items[place]);
      try {
        const result = await work(item);
        done[place] = { item, result };
        onResult?.(item, result, undefined);
      } catch (error) {
        done[place] = { item, error };
        onResult?.(item, undefined, error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return done.filter((entry) => entry !== undefined);
}
