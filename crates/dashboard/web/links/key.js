// The text that names a link: `promo` in the default domain, `go.example/promo` in a
// named one. It stands in addresses and names rows, and the API takes it apart.

/** @typedef {{ slug: string, domain?: string | undefined }} Key Without a domain in the default one. */

/** @param {Key} key */
export const keyOf = ({ slug, domain }) => (domain ? `${domain}/${slug}` : slug);

/** @param {string} text @returns {Key} */
export function partsOf(text) {
  const slash = text.indexOf('/');
  return slash < 0 ? { slug: text } : { slug: text.slice(slash + 1), domain: text.slice(0, slash) };
}

/** A key as people read it: a slug of the default domain begins with a slash. @param {string} text */
export const shownKey = (text) => (text.includes('/') ? text : `/${text}`);

/**
 * The key that somebody means who types a slug, a key or a short link while they look at a domain.
 * @param {string} typed @param {string} domain As `state/domains.js` has it. @param {string} own The host of the default domain.
 */
export function typedKey(typed, domain, own) {
  const text = typed.trim().replace(/^https?:\/\//, '').replace(/^\/+/, '');
  const { slug, domain: host } = partsOf(text);
  if (host !== undefined) return host === own ? slug : text;
  return text && domain && domain !== '*' ? keyOf({ slug, domain }) : text;
}
