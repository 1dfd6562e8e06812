// A pasted address: a short link finds its link, and any other becomes one.
import { DEFAULT } from '../state/domain-choice.js';
import { hosts, several } from '../state/domains.js';
import { takesText } from '../shortcuts.js';
import { partsOf } from './key.js';
import { keyAt } from './origin.js';
import { publicAddress } from './short-link.js';

/** What the list shows for a text; nothing for one that is no address. @param {string} text @returns {Record<string, string | undefined> | undefined} */
export function viewOf(text) {
  const key = keyAt(text, publicAddress.value, hosts.value ?? []);
  if (key !== undefined) {
    const { slug, domain } = partsOf(key);
    return { q: slug, domain: several.value ? domain ?? DEFAULT : undefined, status: 'all' };
  }
  return /^https?:\/\/\S+$/i.test(text.trim()) ? { new: '1', url: text.trim() } : undefined;
}

/**
 * Follows what is pasted, unless a field takes it.
 * @param {(query: Record<string, string | undefined>) => void} follow @param {(target: any) => boolean} [takes] Whether the target keeps the text for itself.
 */
export function onPaste(follow, takes = takesText) {
  const paste = (/** @type {ClipboardEvent} */ event) => {
    if (takes(event.target) || document.querySelector('dialog[open], .panel')) return;
    const query = viewOf(event.clipboardData?.getData('text/plain') ?? '');
    if (!query) return;
    event.preventDefault();
    follow(query);
  };
  addEventListener('paste', paste);
  return () => removeEventListener('paste', paste);
}
