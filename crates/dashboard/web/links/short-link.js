// The public address of a slug, as the instance names itself.
import { signal } from '../view.js';

/** Without a slash at the end; the address below which this page is served until the server has said it. */
export const publicAddress = signal(new URL('../', document.baseURI).href.replace(/\/$/, ''));

/** @param {string} slug */
export function shortLink(slug) {
  return `${publicAddress.value}/${encodeURIComponent(slug)}`;
}

/** The host and path that stand before a slug, without scheme. */
export function prefix() {
  return `${publicAddress.value.replace(/^https?:\/\//, '')}/`;
}
