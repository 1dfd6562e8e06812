// Views and their addresses. Every address is relative, so that the dashboard
// works below any path that a proxy adds.

export const PAGES = /** @type {const} */ (['links', 'analytics', 'live', 'audit', 'setup', 'trash']);
/** @typedef {typeof PAGES[number]} Page */
/** @typedef {{ page: Page, query: Record<string, string> }} View */

/**
 * The view that an address means; the links for one that means nothing.
 * @param {string} path Such as `/_dashboard/links`.
 * @param {string} search Such as `?q=a`.
 * @returns {View}
 */
export function viewOf(path, search) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const page = PAGES.find((known) => known === name) ?? 'links';
  return { page, query: Object.fromEntries(new URLSearchParams(search)) };
}

/**
 * The address of a view, relative to any page. Values that are empty are left
 * out, and names come in order, so that one view has one address.
 * @param {Page} page @param {Record<string, string | undefined>} [query]
 */
export function addressOf(page, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  given.sort(([a], [b]) => (a < b ? -1 : 1));
  const text = new URLSearchParams(/** @type {[string, string][]} */ (given)).toString().replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/');
  return `./${page}${text ? `?${text}` : ''}`;
}
