// What a person types about a domain, and what of it is sent.

/** @typedef {import('../api.js').Schemas['Domain']} Domain */
/** @typedef {import('../api.js').Schemas['DomainInput']} DomainInput */
/** @typedef {{ host: string, homeUrl: string, notFoundUrl: string, expiredUrl: string, letters: '' | 'two' | 'one', fallThrough: boolean }} Draft `letters` says whether `Docs` and `docs` are two slugs; empty as the instance decides. */

/** @param {Domain} [domain] @returns {Draft} */
export function draftOf(domain) {
  const { host = '', homeUrl = '', notFoundUrl = '', expiredUrl = '', caseSensitive, fallThrough = false } = domain ?? {};
  return { host, homeUrl, notFoundUrl, expiredUrl, letters: caseSensitive === undefined ? '' : caseSensitive ? 'two' : 'one', fallThrough };
}

/** A PUT replaces everything, and what is left out is as the instance decides. @param {Draft} draft @returns {DomainInput} */
export function bodyOf({ letters, fallThrough, ...texts }) {
  const filled = Object.entries(texts).map(([name, text]) => [name, text.trim()]).filter(([, text]) => text);
  return /** @type {DomainInput} */ ({ ...Object.fromEntries(filled), ...(letters ? { caseSensitive: letters === 'two' } : {}), ...(fallThrough ? { fallThrough } : {}) });
}
