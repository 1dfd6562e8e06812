// Formatters of the browser, each made once: to make one takes a phone milliseconds.

/** @type {Map<string, any>} */
const made = new Map();

/**
 * @template T @param {new (language: string, options: any) => T} Kind Such as `Intl.NumberFormat`.
 * @param {string} language @param {object} [options] @returns {T}
 */
export function formatter(Kind, language, options = {}) {
  const key = JSON.stringify([Kind.name, language, options]);
  const found = made.get(key) ?? new Kind(language, options);
  made.set(key, found);
  return found;
}
