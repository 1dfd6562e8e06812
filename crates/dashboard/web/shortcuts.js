// Every key that does something, in one place: pages add theirs while they are
// shown. The help and the palette are printed from here.

/**
 * @typedef {object} Shortcut
 * @property {string} keys Such as `c`, `g l` or `mod+k`.
 * @property {import('./words.js').Word} word What it does.
 * @property {() => void} run
 * @property {'everywhere' | 'links' | 'analytics' | 'live'} group
 * @property {boolean} [hidden] Not in the palette, because it means nothing there.
 */

/** @type {Set<readonly Shortcut[]>} */
const sets = new Set();

/** Adds shortcuts until the returned function is called. @param {readonly Shortcut[]} added */
export function addShortcuts(added) {
  sets.add(added);
  return () => { sets.delete(added); };
}

/** Those that work now, the latest added first. @returns {Shortcut[]} */
export function currentShortcuts() {
  return [...sets].reverse().flat();
}

/**
 * Finds what was typed. A first key of two is kept for the next call.
 * @param {readonly Shortcut[]} shortcuts @param {string} key @param {string} pending
 * @returns {{ shortcut?: Shortcut, pending: string }}
 */
export function match(shortcuts, key, pending) {
  const typed = pending ? `${pending} ${key}` : key;
  const shortcut = shortcuts.find(({ keys }) => keys === typed);
  if (shortcut) return { shortcut, pending: '' };
  if (shortcuts.some(({ keys }) => keys.startsWith(`${typed} `))) return { pending: typed };
  return pending ? match(shortcuts, key, '') : { pending: '' };
}

/**
 * The name of a key, as shortcuts are written: `mod` is ⌘ or Ctrl.
 * @param {{ key: string, metaKey: boolean, ctrlKey: boolean, altKey: boolean }} event
 */
export function keyName({ key, metaKey, ctrlKey, altKey }) {
  const name = key === ' ' ? 'Space' : key;
  if (altKey) return '';
  return metaKey || ctrlKey ? `mod+${name.toLowerCase()}` : name;
}

/** Whether keys go into what has the focus. @param {{ tagName?: string, isContentEditable?: boolean, type?: string } | null} target */
export function takesText(target) {
  if (!target) return false;
  const { tagName = '', isContentEditable = false, type = '' } = target;
  if (tagName === 'INPUT') return !['checkbox', 'radio', 'button', 'submit', 'range'].includes(type);
  return isContentEditable || tagName === 'TEXTAREA' || tagName === 'SELECT';
}
