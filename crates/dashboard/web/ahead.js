// Asks for the domains and the first list while the modules that show them are still on their way.
// This is a file of its own, and small, so that it arrives before them.
import { viewOf } from './address.js';
import { filterOf, listQuery } from './links/list-query.js';
import { requestUrl } from './request.js';
import { chosenDomain } from './state/domain-choice.js';
import { firstToken, isNamedToken } from './state/first-token.js';
import { stored } from './state/storage.js';

/** How long an answer that was asked for ahead is fresh. */
const FRESH_MS = 10_000;

/** @type {Map<string, { answer: Promise<Response>, at: number }>} */
const asked = new Map();

/** The answer to a request that was sent ahead, once and while it is fresh. @param {string} url @param {string} token That the request would carry. */
export function askedAhead(url, token) {
  const found = token === firstToken ? asked.get(url) : undefined;
  asked.delete(url);
  return found && performance.now() - found.at < FRESH_MS ? found.answer : undefined;
}

/** Resolves when nothing that was asked for ahead is on its way. */
export const answered = () => Promise.allSettled([...asked.values()].map(({ answer }) => answer));

const { page, query } = viewOf(location.pathname, location.search);
// A named token may not permit these; `main.js` asks what it permits.
const permits = firstToken && !isNamedToken(firstToken);
if (permits) ask(requestUrl('domains'));
if (permits && page === 'links') ask(requestUrl('link/list', listQuery(filterOf(query, chosenDomain(query.domain, stored('localStorage', 'domain') ?? '', undefined)))));

/** @param {string} url */
function ask(url) {
  const answer = fetch(url, { headers: { authorization: `Bearer ${firstToken}` }, cache: 'no-store' }).then(whole);
  // Whoever takes it hears of a failure.
  answer.catch(() => {});
  asked.set(url, { answer, at: performance.now() });
}

/** The answer with its body at hand, so that whoever takes it can show it in the first frame. @param {Response} answer */
async function whole(answer) {
  const text = await answer.text();
  const { status, headers } = answer;
  return Object.assign(new Response(null, { status, headers }), { text: async () => text, json: async () => JSON.parse(text) });
}
