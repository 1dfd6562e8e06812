// What this browser keeps, which it may refuse to.

/**
 * @param {'localStorage' | 'sessionStorage'} kind
 * @returns {Storage | undefined} Nothing when the browser forbids it.
 */
function storage(kind) {
  try {
    return globalThis[kind];
  } catch {
    return undefined;
  }
}

/** @param {'localStorage' | 'sessionStorage'} kind @param {string} name */
export function stored(kind, name) {
  return storage(kind)?.getItem(`slugline.${name}`) ?? undefined;
}

/** Nothing is kept when the value is undefined. @param {'localStorage' | 'sessionStorage'} kind @param {string} name @param {string | undefined} value */
export function store(kind, name, value) {
  try {
    if (value === undefined) storage(kind)?.removeItem(`slugline.${name}`);
    else storage(kind)?.setItem(`slugline.${name}`, value);
  } catch {
    // Full or forbidden: the choice lasts as long as the page.
  }
}
