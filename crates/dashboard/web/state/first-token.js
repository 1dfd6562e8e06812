// The token that the page starts with, and what an address offers.
import { store, stored } from './storage.js';

export const TOKEN = 'token';

/** What an address offers: a token, or a code that stands for one once. @typedef {{ token: string, code?: undefined } | { code: string, token?: undefined }} Offer */

/** What the address offers. The fragment goes, which no server sees; browsers keep the address in their history all the same. @returns {Offer | undefined} */
export function takeOffer() {
  const [, kind, given = ''] = /^#(token|code)=(.+)$/.exec(location.hash) ?? [];
  if (!kind) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  const text = decoded(given);
  return kind === 'code' ? { code: text } : { token: text };
}

/** What is spelled wrongly is no token either, and the server says so. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const kept = stored('sessionStorage', TOKEN) ?? stored('localStorage', TOKEN) ?? '';
const given = takeOffer();
const taken = kept === '' ? given?.token : undefined;
if (taken) store('sessionStorage', TOKEN, taken);

/** From this tab, this device, or the address; empty when nobody is signed in. */
export const firstToken = kept || (taken ?? '');

/** What the first address offers beside that. @type {Offer | undefined} */
export const firstOffer = taken === undefined && given?.token !== kept ? given : undefined;

/** Whether this is a named token, which may permit little. @param {string} text */
export const isNamedToken = (text) => text.startsWith('slugline_');
