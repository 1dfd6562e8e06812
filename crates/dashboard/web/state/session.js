// The token: kept for this tab, or on this device when a person asks for that.
import { signal } from '../view.js';
import { TOKEN, firstToken, isNamedToken } from './first-token.js';
import { store } from './storage.js';

/** The token that requests carry; empty when nobody is signed in. */
export const token = signal(firstToken);

/** @typedef {import('../api.js').Schemas['ScopeName']} Scope */

/** What the token permits; undefined for the site token, and until the server has said so. @type {import('../view.js').Signal<readonly Scope[] | undefined>} */
export const scopes = signal(/** @type {any} */ (undefined));

/** Whether the token permits what needs this. @param {Scope} scope */
export const may = (scope) => scopes.value?.includes(scope) ?? true;

/** Whether somebody signed in with a named token, which may permit little. */
export const isNamed = () => isNamedToken(token.value);

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

/** @param {string} given @param {boolean} remember @param {readonly Scope[]} permitted */
export function signIn(given, remember, permitted) {
  store('sessionStorage', TOKEN, given);
  store('localStorage', TOKEN, remember ? given : undefined);
  signIns += 1;
  expired.value = false;
  scopes.value = permitted;
  token.value = given;
}

/** Signs out here and in every other tab. */
export function signOut() {
  others?.postMessage('signed out');
  forget();
}

function forget() {
  store('sessionStorage', TOKEN, undefined);
  store('localStorage', TOKEN, undefined);
  expired.value = false;
  scopes.value = undefined;
  token.value = '';
}
