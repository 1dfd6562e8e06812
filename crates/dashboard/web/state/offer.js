// A token, or a code for one, that an address offers: taken at once if nobody is signed in, else after a question.
import { redeemCode, verify } from '../api.js';
import { wording } from '../parts/notes.js';
import { signal } from '../view.js';
import { say } from '../words.js';
import { firstOffer, takeOffer } from './first-token.js';
import { expired, signIn, token } from './session.js';
import { toast } from './toasts.js';

/** @typedef {import('./first-token.js').Offer} Offer */

/** What somebody who is signed in is asked, with the name of the token that is offered. @type {import('../view.js').Signal<{ offer: Offer, name: string } | undefined>} */
export const question = signal(/** @type {any} */ (undefined));

/** Why what an address offered was not taken, for the door. */
export const offerFault = signal('');

/** Follows what addresses offer. Resolves when the first one was looked at. @param {Promise<void>} words The reader's, on their way. */
export async function followOffers(words) {
  addEventListener('hashchange', () => {
    const offer = takeOffer();
    if (offer) consider(offer);
  });
  if (!firstOffer) return;
  await words;
  await consider(firstOffer);
}

const isSignedIn = () => token.value !== '' && !expired.value;

/** @param {Offer} offer */
async function consider(offer) {
  if (!isSignedIn()) await accept(offer);
  else if (offer.code !== undefined) question.value = { offer, name: 'site' };
  else if (offer.token !== token.value) await verify(offer.token).then(({ tokenName }) => { question.value = { offer, name: tokenName }; }, (error) => fail(error, offer));
}

/** @param {Offer} offer */
export async function accept(offer) {
  question.value = undefined;
  const replaces = isSignedIn();
  try {
    const given = offer.code === undefined ? offer.token : (await redeemCode(offer.code)).token;
    const { scopes } = await verify(given);
    offerFault.value = '';
    signIn(given, false, scopes);
    // What the page shows was loaded with the former token.
    if (replaces) location.reload();
  } catch (error) {
    fail(error, offer);
  }
}

/** @param {any} error @param {Offer} offer */
function fail(error, { code }) {
  const text = error.status === 401 ? say(code === undefined ? 'wrongToken' : 'codeOver') : wording(error);
  if (isSignedIn()) toast(text, 'bad');
  else offerFault.value = text;
}
