// What a person types about a link, and what of it is sent.
import { momentOf, read } from '../time/clock.js';
import { sentWhen } from './conditions.js';

/** @typedef {import('../api.js').Link} Link */
/** @typedef {import('../api.js').Schemas} Schemas */
/**
 * Every member as a text in a field.
 * @typedef {object} Draft
 * @property {string} url
 * @property {string} slug
 * @property {string} domain Empty for the default one.
 * @property {string} comment
 * @property {string[]} tags
 * @property {string} expires Local date and time, as the browser's field writes it; empty for never.
 * @property {'keep' | 'set' | 'remove'} passwordMode
 * @property {string} password
 * @property {string} apple
 * @property {string} google
 * @property {{ country: string, url: string }[]} geo
 * @property {string} title
 * @property {string} description
 * @property {string} image
 * @property {'' | 'yes' | 'no'} withQuery
 * @property {boolean} cloaking
 * @property {boolean} proxy
 * @property {boolean} unsafe
 * @property {boolean} disabled
 * @property {string} starts As `expires`; empty for at once.
 * @property {string} startUrl
 * @property {string} expiredUrl
 * @property {string} maxVisits Empty for any number.
 * @property {import('./conditions.js').Rule[]} rules As they are sent.
 * @property {import('./split.js').Side[]} split
 * @property {string} splitUntil As `expires`; empty for no end.
 * @property {boolean} forwardPath
 * @property {'' | 'yes' | 'no'} noindex Empty for as the server is set.
 */

/** @returns {Draft} */
export function emptyDraft(url = '', domain = '') {
  return {
    url, slug: '', domain, comment: '', tags: [], expires: '', passwordMode: 'keep', password: '', apple: '', google: '', geo: [],
    title: '', description: '', image: '', withQuery: '', cloaking: false, proxy: false, unsafe: false,
    disabled: false, starts: '', startUrl: '', expiredUrl: '', maxVisits: '', rules: [], split: [], splitUntil: '', forwardPath: false, noindex: '',
  };
}

/** @param {Link} link @param {string} zone @returns {Draft} */
export function draftOf(link, zone) {
  return {
    ...emptyDraft(link.url, link.domain),
    slug: link.slug,
    comment: link.comment ?? '',
    tags: [...link.tags],
    expires: link.expiration ? fieldOf(link.expiration, zone) : '',
    apple: link.apple ?? '',
    google: link.google ?? '',
    geo: Object.entries(link.geo ?? {}).map(([country, url]) => ({ country, url })),
    title: link.title ?? '',
    description: link.description ?? '',
    image: link.image ?? '',
    withQuery: choiceOf(link.redirectWithQuery),
    cloaking: link.cloaking ?? false,
    proxy: link.proxy ?? false,
    unsafe: link.unsafe ?? false,
    disabled: link.disabled ?? false,
    starts: link.startsAt ? fieldOf(link.startsAt, zone) : '',
    startUrl: link.startUrl ?? '',
    expiredUrl: link.expiredUrl ?? '',
    maxVisits: String(link.maxVisits ?? ''),
    rules: /** @type {any} */ (link.rules ?? []),
    split: (link.split ?? []).map((/** @type {any} */ side) => ({ ...side, weight: String(side.weight) })),
    splitUntil: link.splitUntil ? fieldOf(link.splitUntil, zone) : '',
    forwardPath: link.forwardPath ?? false,
    noindex: choiceOf(link.noindex),
  };
}

/** A flag that a link may leave to the server. @param {boolean | undefined} flag @returns {'' | 'yes' | 'no'} */
const choiceOf = (flag) => (flag === undefined ? '' : flag ? 'yes' : 'no');

/** @param {'' | 'yes' | 'no'} choice */
const flagOf = (choice) => (choice === '' ? undefined : choice === 'yes');

/** `2026-12-01T18:00`. @param {number} moment @param {string} zone */
export function fieldOf(moment, zone) {
  const { year, month, day, hour, minute } = read(moment, zone);
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`;
}

/** @param {string} field @param {string} zone @returns {number | undefined} Unix seconds. */
export function momentOfField(field, zone) {
  const parts = /^(\d{4,6})-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(field)?.slice(1).map(Number);
  if (!parts) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = parts;
  return momentOf({ year, month, day, hour, minute }, zone);
}

/**
 * All members that a draft says something about.
 * @param {Draft} draft @param {string} zone
 */
function members(draft, zone) {
  const geo = Object.fromEntries(draft.geo.filter(({ country, url }) => country && url).map(({ country, url }) => [country, url.trim()]));
  return {
    url: draft.url.trim(),
    comment: draft.comment.trim() || undefined,
    tags: draft.tags.length > 0 ? draft.tags : undefined,
    expiration: momentOfField(draft.expires, zone),
    apple: draft.apple.trim() || undefined,
    google: draft.google.trim() || undefined,
    geo: Object.keys(geo).length > 0 ? geo : undefined,
    title: draft.title.trim() || undefined,
    description: draft.description.trim() || undefined,
    image: draft.image.trim() || undefined,
    redirectWithQuery: flagOf(draft.withQuery),
    cloaking: draft.cloaking || undefined,
    proxy: draft.proxy || undefined,
    unsafe: draft.unsafe || undefined,
    disabled: draft.disabled || undefined,
    startsAt: momentOfField(draft.starts, zone),
    // Without a start nothing is before it.
    startUrl: (draft.starts && asUrl(draft.startUrl)) || undefined,
    expiredUrl: asUrl(draft.expiredUrl) || undefined,
    maxVisits: draft.maxVisits.trim() === '' ? undefined : Number(draft.maxVisits),
    rules: draft.rules.length > 0 ? draft.rules.map((rule) => ({ ...rule, when: sentWhen(rule.when), url: asUrl(rule.url) })) : undefined,
    split: draft.split.length > 0 ? draft.split.map((side) => ({ ...side, url: asUrl(side.url), weight: Number(side.weight) })) : undefined,
    splitUntil: draft.split.length > 0 ? momentOfField(draft.splitUntil, zone) : undefined,
    forwardPath: draft.forwardPath || undefined,
    noindex: flagOf(draft.noindex),
  };
}

/**
 * What the form would send now: for a link that is there what changes of it, else a new one.
 * @param {Link | undefined} link @param {Draft} draft @param {string} zone @returns {Schemas['PatchLink'] | Schemas['CreateLink']}
 */
export function bodyOf(link, draft, zone) {
  const whole = { ...draft, url: asUrl(draft.url) };
  return link ? patchBody(link, whole, zone) : createBody(whole, zone);
}

/** @param {Draft} draft @param {string} zone @returns {Schemas['CreateLink']} */
export function createBody(draft, zone) {
  const body = { ...members(draft, zone), slug: draft.slug.trim() || undefined, domain: draft.domain || undefined, password: draft.password || undefined };
  return /** @type {Schemas['CreateLink']} */ (withoutAbsent(body));
}

/**
 * Only what changed, so that two people who change different things both keep
 * their change. A member that became empty is removed by `null`.
 * @param {Link} link @param {Draft} draft @param {string} zone @returns {Schemas['PatchLink']}
 */
export function patchBody(link, draft, zone) {
  const before = /** @type {Record<string, unknown>} */ (members(draftOf(link, zone), zone));
  const after = /** @type {Record<string, unknown>} */ (members(draft, zone));
  /** @type {Record<string, unknown>} */
  const changed = { slug: link.slug, ...(link.domain ? { domain: link.domain } : {}) };
  for (const name of Object.keys(after)) {
    if (JSON.stringify(before[name]) !== JSON.stringify(after[name])) changed[name] = after[name] ?? null;
  }
  if (draft.passwordMode === 'set' && draft.password) changed.password = draft.password;
  if (draft.passwordMode === 'remove') changed.password = null;
  return /** @type {Schemas['PatchLink']} */ (changed);
}

/** Whether a draft says when the link leads somewhere, or how often. @param {Draft} draft */
export const hasLife = (draft) => Boolean(draft.disabled || draft.starts || draft.startUrl || draft.expires || draft.expiredUrl || draft.maxVisits);

/** Whether anything would be lost. @param {Draft} draft @param {Draft} original */
export function isChanged(draft, original) {
  return JSON.stringify(draft) !== JSON.stringify(original);
}

/** @param {Record<string, unknown>} body */
function withoutAbsent(body) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

/** Whether a text can be a slug at all; the server has the last word. @param {string} slug */
export function looksLikeSlug(slug) {
  return /^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(slug) && slug.length <= 2048;
}

/** An address as people type it: a missing scheme means https. @param {string} text */
export function asUrl(text) {
  const trimmed = text.trim();
  return /^[\w-]+(\.[\w-]+)+([/?#:]|$)/.test(trimmed) ? `https://${trimmed}` : trimmed;
}
