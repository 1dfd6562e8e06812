// Where the links of a domain are.
import { keyOf } from './key.js';

/**
 * The public address, or that of a named domain, which has its scheme and port.
 * @param {string} address Public, without a slash at the end. @param {string | undefined} domain
 */
export function originOf(address, domain) {
  if (!domain) return address;
  const { protocol, port } = new URL(address);
  return `${protocol}//${domain}${port && `:${port}`}`;
}

/** @param {string} address */
const withoutScheme = (address) => address.trim().replace(/^https?:\/\//i, '');

/**
 * The key of the link that an address leads to; undefined for an address that is none of ours, and any other text.
 * @param {string} text With or without a scheme. @param {string} address Public, without a slash at the end. @param {readonly string[]} hosts Of named domains.
 */
export function keyAt(text, address, hosts) {
  const typed = withoutScheme(text);
  for (const domain of ['', ...hosts]) {
    const start = `${withoutScheme(originOf(address, domain))}/`;
    const [slug = '', ...rest] = typed.slice(start.length).split(/[?#]/)[0]?.split('/') ?? [];
    if (typed.slice(0, start.length).toLowerCase() === start.toLowerCase() && slug && !slug.startsWith('_') && rest.join('') === '') return keyOf({ slug, domain });
  }
  return undefined;
}
