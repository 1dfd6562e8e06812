// The public address of a link, as the instance names itself.
import { signal } from '../view.js';
import { originOf } from './origin.js';

/** Without a slash at the end; the address below which this page is served until the server has said it. */
export const publicAddress = signal(new URL('../', document.baseURI).href.replace(/\/$/, ''));

/** @param {import('./key.js').Key} key */
export function shortLink({ slug, domain }) {
  return `${originOf(publicAddress.value, domain)}/${encodeURIComponent(slug)}`;
}

/** The host and path that stand before a slug, without scheme. @param {string} [domain] */
export function prefix(domain) {
  return `${originOf(publicAddress.value, domain).replace(/^https?:\/\//, '')}/`;
}

/** The host of the default domain. */
export const publicHost = () => new URL(publicAddress.value).hostname;
