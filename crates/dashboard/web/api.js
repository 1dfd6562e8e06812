// The REST API. Each function is one request; what several requests are needed
// for today has a place of its own, so that one request can replace it.
import { askedAhead } from './ahead.js';
import { ApiError, problemOf } from './problem.js';
import { requestUrl } from './request.js';
import { awaited } from './state/busy.js';
import { demonstration, moving } from './state/refusal.js';
import { refused, signInNumber, token } from './state/session.js';

/** @typedef {import('../npm/types/api.js').components['schemas']} Schemas */
/** @typedef {Schemas['Link']} Link */
/** @typedef {import('./request.js').Query} Query */
/** @typedef {import('./links/key.js').Key} Key */

/**
 * @param {string} method @param {string} path Below `/api/`.
 * @param {{ query?: Query, body?: unknown, text?: string, type?: string, match?: string, signal?: AbortSignal, token?: string }} [given] `match` is the version that is to be changed.
 * @returns {Promise<Response>}
 */
export async function send(method, path, { query = {}, body, text, type, match, signal, token: given } = {}) {
  const url = requestUrl(path, query);
  /** @type {Record<string, string>} */
  const headers = { authorization: `Bearer ${given ?? token.value}` };
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  if (sent !== undefined) headers['content-type'] = type ?? 'application/json';
  if (match) headers['if-match'] = match;
  const number = signInNumber();
  let answer;
  try {
    const early = method === 'GET' && given === undefined ? askedAhead(url, token.value) : undefined;
    answer = await (early ?? fetch(url, { method, headers, body: sent ?? null, signal: signal ?? null, cache: 'no-store' }));
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'unreachable', String(error));
  }
  if (answer.ok) return answer;
  if (answer.status === 401 && given === undefined) refused(number);
  const problem = problemOf(answer.status, await answer.text(), answer.headers.get('retry-after'));
  problem.version = answer.headers.get('etag') ?? '';
  if (problem.code === 'preview_mode') demonstration.value = true;
  if (problem.code === 'migration_required') moving.value = true;
  throw problem;
}

/** @template T @param {string} method @param {string} path @param {Parameters<typeof send>[2]} [given] @returns {Promise<T>} */
const ask = (method, path, given) => awaited(send(method, path, given).then((answer) => answer.json()));

/** Whether the server takes this token. @param {string} given @returns {Promise<Schemas['Identity']>} */
export const verify = (given) => ask('GET', 'verify', { token: given });

/** Exchanges a one-time code for the token that it stands for. Nobody is signed in yet, so the request has no token. @param {string} code @returns {Promise<Schemas['SignedIn']>} */
export async function redeemCode(code) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ code }) };
  const answer = await fetch('sign-in', init).catch((error) => { throw new ApiError(0, 'unreachable', String(error)); });
  if (!answer.ok) throw problemOf(answer.status, await answer.text(), answer.headers.get('retry-after'));
  return answer.json();
}

// Links

/** @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['LinkList']>} */
export const listLinks = (query, signal) => ask('GET', 'link/list', { query, signal });

/** @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['FoundLink'][]>} */
export const searchLinks = (query, signal) => ask('GET', 'link/search', { query, signal });

/** @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['LinkCount']>} */
export const countLinks = (query, signal) => ask('GET', 'link/count', { query, signal });

/** @param {string} domain Empty for the default one, `*` for all. @param {AbortSignal} [signal] @returns {Promise<Schemas['TagCount'][]>} */
export const listTags = (domain, signal) => ask('GET', 'link/tags', { query: { domain }, signal });

/** A link and its version. @param {Key} key @returns {Promise<{ link: Link, version: string }>} */
export const readLink = ({ slug, domain }) => awaited(send('GET', 'link/query', { query: { slug, domain } }).then(async (answer) => ({ link: await answer.json(), version: answer.headers.get('etag') ?? '' })));

/** @param {Schemas['CreateLink']} body @returns {Promise<Schemas['LinkCreated']>} */
export const createLink = (body) => ask('POST', 'link/create', { body });

/** @param {Schemas['PatchLink']} body @param {string} version That it was made for; any other is refused. @returns {Promise<Schemas['LinkCreated']>} */
export const patchLink = (body, version) => ask('PATCH', 'link/edit', { body, match: version });

/** @param {Key} key @param {boolean} off @returns {Promise<Schemas['LinkCreated']>} */
export const switchLink = ({ slug, domain }, off) => ask('PATCH', 'link/edit', { body: { slug, domain, disabled: off || null } });

/** @param {Schemas['BatchLinks']} body @returns {Promise<Schemas['LinkBatch']>} */
export const batchLinks = (body) => ask('POST', 'link/batch', { body });

/** The versions of a link. @param {{ slug?: string | undefined, domain?: string | undefined, id?: string }} query @param {AbortSignal} [signal] @returns {Promise<Schemas['LinkHistory']>} */
export const linkHistory = (query, signal) => ask('GET', 'link/history', { query, signal });

/** What a visitor would get. @param {Schemas['ExplainLink']} body @returns {Promise<Schemas['LinkExplanation']>} */
export const explainLink = (body) => ask('POST', 'link/explain', { body });

/** Deleted links, the last one first. @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['TrashList']>} */
export const listTrash = (query, signal) => ask('GET', 'link/trash', { query, signal });

/** @param {Schemas['RestoreLink']} body @returns {Promise<any>} */
export const restoreLink = (body) => ask('POST', 'link/restore', { body });

/** Deletes a link with its former versions. @param {string} id */
export const purgeLink = (id) => awaited(send('POST', 'link/delete', { body: { id, purge: true } }));

/** @param {Key} key */
export const deleteLink = ({ slug, domain }) => awaited(send('POST', 'link/delete', { body: { slug, domain } }));

/** @param {string} url @returns {Promise<Schemas['SlugSuggestion']>} */
export const suggestSlug = (url) => ask('GET', 'link/ai', { query: { url } });

/** @param {Schemas['CheckLinks']} body @param {AbortSignal} signal @returns {Promise<Schemas['LinkChecks']>} */
export const checkLinks = (body, signal) => ask('POST', 'link/check', { body, signal });

/** @typedef {{ validateOnly: 'true' | undefined, domain: string | undefined }} ImportTerms */

/** @param {Schemas['ImportLink'][]} links @param {ImportTerms} query @returns {Promise<Schemas['LinkImport']>} */
export const importLinks = (links, query) => ask('POST', 'link/import', { body: { version: '1.0', links }, query });

/** @param {string} text @param {'text/csv' | 'application/x-ndjson'} type @param {ImportTerms} query @returns {Promise<Schemas['LinkImport']>} */
export const importFile = (text, type, query) => ask('POST', 'link/import', { text, type, query });

/** @param {string} [cursor] @param {AbortSignal} [signal] @returns {Promise<Schemas['LinkExport']>} */
export const exportPage = (cursor, signal) => ask('GET', 'link/export', { query: { cursor }, signal });

/** @param {AbortSignal} [signal] */
export const exportTable = (signal) => awaited(send('GET', 'link/export', { query: { format: 'csv' }, signal }).then((answer) => answer.text()));

/** @param {AbortSignal} [signal] @returns {Promise<Schemas['MigrationView']>} */
export const migrationStatus = (signal) => ask('GET', 'link/migration/status', { signal });

// Visits

/** @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['CounterViewAnswer']>} */
export const counters = (query, signal) => ask('GET', 'stats/counters', { query, signal });

/** @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['ViewViewAnswer']>} */
export const views = (query, signal) => ask('GET', 'stats/views', { query, signal });

/** @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['MetricViewAnswer']>} */
export const metrics = (query, signal) => ask('GET', 'stats/metrics', { query, signal });

/** @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['HourViewAnswer']>} */
export const heatmap = (query, signal) => ask('GET', 'stats/heatmap', { query, signal });

/** @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['LocationViewAnswer']>} */
export const locations = (query, signal) => ask('GET', 'logs/locations', { query, signal });

/** @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['EventView'][]>} */
export const events = (query, signal) => ask('GET', 'logs/events', { query, signal });

/** The stream of visits; its body is read while it comes. @param {Query} query @param {AbortSignal} signal */
export const stream = (query, signal) => send('GET', 'logs/stream', { query, signal });

/** @param {Key} key @returns {Promise<Schemas['ErasedVisits']>} */
export const eraseVisits = ({ slug, domain }) => ask('DELETE', 'stats', { query: { slug, domain } });

// Tokens

/** @param {AbortSignal} [signal] @returns {Promise<Schemas['TokenList']>} */
export const listTokens = (signal) => ask('GET', 'tokens', { signal });

/** @param {Schemas['MakeToken']} body @returns {Promise<Schemas['TokenMade']>} */
export const makeToken = (body) => ask('POST', 'tokens', { body });

/** @param {string} name */
export const revokeToken = (name) => awaited(send('DELETE', 'tokens', { query: { name } }));

// Domains

/** @param {AbortSignal} [signal] @returns {Promise<Schemas['Domain'][]>} */
export const listDomains = (signal) => ask('GET', 'domains', { signal }).then((/** @type {any} */ list) => list.domains);

/** @param {Schemas['DomainInput']} body @param {boolean} isNew @returns {Promise<Schemas['Domain']>} */
export const saveDomain = (body, isNew) => ask(isNew ? 'POST' : 'PUT', 'domains', { body });

/** @param {{ host: string, links: string, moveTo?: string }} query @returns {Promise<Schemas['DomainRemoved']>} */
export const removeDomain = (query) => {
  // An empty text is the default domain here, and what is empty is left out of a query elsewhere.
  const search = new URLSearchParams(/** @type {any} */ (query)).toString();
  return ask('DELETE', `domains?${search}`);
};

// The instance

/** Who changed what, the newest first. @param {Query} query @param {AbortSignal} [signal] @returns {Promise<Schemas['AuditList']>} */
export const listAudit = (query, signal) => ask('GET', 'audit', { query, signal });

/** What the instance says of its set-up. @param {AbortSignal} [signal] @returns {Promise<Schemas['Setup']>} */
export const setup = (signal) => ask('GET', 'setup', { signal });
