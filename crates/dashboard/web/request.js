// The address of a request to the REST API.

/** @typedef {Record<string, string | number | undefined>} Query */

const BASE = '../api/';

/** What is empty is left out. @param {string} path Below `/api/`. @param {Query} [query] */
export function requestUrl(path, query = {}) {
  const present = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
  return `${BASE}${path}${search ? `?${search}` : ''}`;
}
