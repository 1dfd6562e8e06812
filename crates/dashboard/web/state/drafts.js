// What was typed and not saved, by link, with the version that it was typed for: opening another
// link loses nothing, and nothing that others did meanwhile.
import { store, stored } from './storage.js';

/** @typedef {{ draft: import('../links/draft.js').Draft, link: import('../api.js').Link | undefined, version: string, url: string | undefined }} Kept */

const NAME = 'drafts';

/** Those that the page brought along when it reloaded itself. @type {Map<string, Kept>} */
export const drafts = new Map(JSON.parse(stored('sessionStorage', NAME) ?? '[]'));
store('sessionStorage', NAME, undefined);

/** Whether drafts wait for a reload, which then loses nothing. */
let carried = false;
export const areCarried = () => carried;

/** Keeps drafts for the reload that follows. False where the browser keeps nothing. */
export function carryDrafts() {
  const text = JSON.stringify([...drafts]);
  store('sessionStorage', NAME, text);
  return carried = stored('sessionStorage', NAME) === text;
}
