// The token that the page starts with.
import { store, stored } from './storage.js';

export const TOKEN = 'token';

/** From the address, this tab, or this device; empty when nobody is signed in. */
export const firstToken = fromAddress() ?? stored('sessionStorage', TOKEN) ?? stored('localStorage', TOKEN) ?? '';

/** Whether this is a named token, which may permit little. @param {string} text */
export const isNamedToken = (text) => text.startsWith('slugline_');

/** The first start prints an address with the token in its fragment, which no server sees. */
function fromAddress() {
  const found = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (!found) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  const given = decodeURIComponent(found);
  store('sessionStorage', TOKEN, given);
  return given;
}
