// Whether answers are awaited. Tests and screen readers wait for the end.
import { computed, signal } from '../view.js';

const under_way = signal(0);

/** Whether at least one request that the page waits for is under way. */
export const busy = computed(() => under_way.value > 0);

/**
 * Counts a piece of work as under way until it ends.
 * @template T @param {Promise<T>} work @returns {Promise<T>}
 */
export async function awaited(work) {
  under_way.value += 1;
  try {
    return await work;
  } finally {
    // Once what came of it has been drawn.
    setTimeout(() => { under_way.value -= 1; }, 0);
  }
}
