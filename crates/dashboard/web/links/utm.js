// The parameters by which analytics elsewhere tell campaigns apart, in a
// destination as it was typed: everything else in it stays as it is.

/** In the order in which they are added. */
export const UTM = /** @type {const} */ (['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']);
/** @typedef {typeof UTM[number]} Utm */

/** @param {string} url @returns {[string, string[], string]} What stands before the query, its pairs, the fragment. */
function parts(url) {
  const [, before = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? [];
  return [before, query.split('&').filter(Boolean), fragment];
}

/** @param {string} pair */
const nameOf = (pair) => pair.split('=', 1)[0]?.toLowerCase() ?? '';

/** What a destination says already; empty where it says nothing. @param {string} url @returns {Record<Utm, string>} */
export function readUtm(url) {
  const [, pairs] = parts(url);
  const values = UTM.map((name) => {
    const pair = pairs.find((one) => nameOf(one) === name);
    return [name, pair ? decoded(pair.slice(name.length + 1)) : ''];
  });
  return /** @type {any} */ (Object.fromEntries(values));
}

/**
 * The destination with another value; an empty one removes the parameter. One
 * that is there keeps its place, and one that stands twice is there once.
 * @param {string} url @param {Utm} name @param {string} value
 */
export function withUtm(url, name, value) {
  const [before, pairs, fragment] = parts(url);
  const at = pairs.findIndex((pair) => nameOf(pair) === name);
  const others = pairs.filter((pair) => nameOf(pair) !== name);
  if (value) others.splice(at < 0 ? others.length : Math.min(at, others.length), 0, `${name}=${encodeURIComponent(value).replaceAll('%20', '+')}`);
  return `${before}${others.length > 0 ? `?${others.join('&')}` : ''}${fragment}`;
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
