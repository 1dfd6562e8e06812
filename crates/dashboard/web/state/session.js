// The token: kept for this tab, or on this device when a person asks for that.
import { signal } from '../view.js';
import { store, stored } from './storage.js';

const NAME = 'token';

/** The token that requests carry; empty when nobody is signed in. */
export const token = signal(fromAddress() ?? stored('sessionStorage', NAME) ?? stored('localStorage', NAME) ?? '');

/** True when the server refused the token while the page was in use. */
export const expired = signal(false);

/** Counts sign-ins: what was sent before the last one says nothing about it. */
let signIns = 0;

/** Which sign-in a request belongs to. */
export const signInNumber = () => signIns;

/** Notes that the server refused the token of a request of that sign-in. @param {number} number */
export function refused(number) {
  if (number === signIns) expired.value = true;
}

const others = 'BroadcastChannel' in globalThis ? new BroadcastChannel('slugline.session') : undefined;
others?.addEventListener('message', (event) => {
  if (event.data === 'signed out') forget();
});

/** The first start prints an address with the token in its fragment, which no server sees. */
function fromAddress() {
  const found = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (!found) return undefined;
  history.replaceState(null, '', location.pathname + location.search);
  const given = decodeURIComponent(found);
  store('sessionStorage', NAME, given);
  return given;
}

/** @param {string} given @param {boolean} remember */
export function signIn(given, remember) {
  store('sessionStorage', NAME, given);
  store('localStorage', NAME, remember ? given : undefined);
  signIns += 1;
  expired.value = false;
  token.value = given;
}

/** Signs out here and in every other tab. */
export function signOut() {
  others?.postMessage('signed out');
  forget();
}

function forget() {
  store('sessionStorage', NAME, undefined);
  store('localStorage', NAME, undefined);
  expired.value = false;
  token.value = '';
}
