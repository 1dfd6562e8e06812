// Files of the page that are fetched while it is in use. The network or a new build may be in the way.
import { ApiError } from './problem.js';
import { carryDrafts } from './state/drafts.js';
import { store, stored } from './state/storage.js';

/** The folder of a build, whose name changes with any of its files. @param {string} text */
const folderIn = (text) => /\ba-[0-9a-f]{16}\b/.exec(text)?.[0];

const FOLDER = folderIn(import.meta.url);
const RENEWED = 'renewed';
let attempts = 0;

/**
 * Fetches a file, a second time if that fails. Where the server has another build by now, the page
 * reloads itself, once for each build that it came from: nodes of two builds would send it to and fro.
 * @template T @param {(again: string) => Promise<T>} load Takes what stands behind the file's name: browsers remember an address that failed.
 * @returns {Promise<T>}
 */
export async function fetchPart(load) {
  try {
    return await load('');
  } catch {
    const served = await servedFolder();
    // The page is about to leave.
    if (served && served !== FOLDER && renew()) return new Promise(() => {});
  }
  attempts += 1;
  return load(`?again=${attempts}`).catch((error) => { throw new ApiError(0, 'not_loaded', String(error)); });
}

/** The folder that a page loaded now would use; nothing where the answer names none. */
async function servedFolder() {
  const unreachable = (/** @type {any} */ error) => { throw new ApiError(0, 'unreachable', String(error)); };
  return folderIn(await fetch('./', { cache: 'no-store' }).then((answer) => answer.text()).catch(unreachable));
}

/** Reloads, unless this build did so before or something typed would be lost. */
function renew() {
  if (!FOLDER || stored('sessionStorage', RENEWED) === FOLDER) return false;
  store('sessionStorage', RENEWED, FOLDER);
  if (stored('sessionStorage', RENEWED) !== FOLDER || !carryDrafts()) return false;
  location.reload();
  return true;
}
