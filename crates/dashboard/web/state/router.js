// The view that is shown. The address bar has it too.
import { addressOf, viewOf } from '../address.js';
import { signal } from '../view.js';

/** @typedef {import('../address.js').Page} Page */

export const view = signal(viewOf(location.pathname, location.search));

addEventListener('popstate', () => { view.value = viewOf(location.pathname, location.search); });

/**
 * Shows a view. A replaced one cannot be gone back to.
 * @param {Page} page @param {Record<string, string | undefined>} [query] @param {{ replace?: boolean }} [how]
 */
export function go(page, query = {}, { replace = false } = {}) {
  const address = addressOf(page, query);
  const moved = page !== view.value.page;
  if (replace) history.replaceState(null, '', address);
  else history.pushState(null, '', address);
  view.value = viewOf(location.pathname, location.search);
  if (moved) scrollTo(0, 0);
}

/** Changes some of the query; undefined removes. @param {Record<string, string | undefined>} changes @param {{ replace?: boolean }} [how] */
export function change(changes, how) {
  const { page, query } = view.value;
  go(page, { ...query, ...changes }, how);
}

/** Follows a link inside the page, unless the person wants a new tab. @param {MouseEvent} event @param {Page} page @param {Record<string, string | undefined>} [query] */
export function follow(event, page, query) {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(page, query);
}
