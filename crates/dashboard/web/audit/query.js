// What the page asks for, and what it knows of the answers.
import { partsOf } from '../links/key.js';

/** @typedef {{ slug?: string, caller?: string, operation?: string, from?: string, until?: string }} Filter `slug` is the key of a link. Dates are days such as `2027-01-31`, in the reader's own zone. */

export const PAGE_SIZE = 50;

/**
 * The operations that the API filters by, and their words.
 * @type {readonly (readonly [string, import('../words.js').Word])[]}
 */
export const OPERATIONS = [
  ['link.create', 'opLinkCreate'], ['link.edit', 'opLinkEdit'], ['link.delete', 'opLinkDelete'], ['link.import', 'opLinkImport'],
  ['link.migrate', 'opLinkMigrate'], ['link.rehash', 'opLinkRehash'], ['link.move', 'opLinkMove'], ['link.restore', 'opLinkRestore'], ['link.purge', 'opLinkPurge'], ['token.add', 'opTokenAdd'], ['token.revoke', 'opTokenRevoke'],
  ['visits.erase', 'opVisitsErase'], ['domain.add', 'opDomainAdd'], ['domain.edit', 'opDomainEdit'], ['domain.remove', 'opDomainRemove'],
];

/**
 * The callers that are no named tokens.
 * @type {readonly (readonly [string, import('../words.js').Word])[]}
 */
export const CALLERS = [['site', 'siteToken'], ['operator', 'callerOperator'], ['service', 'callerService']];

/** @param {Record<string, string>} query Of the address. @returns {Filter} */
export const filterOf = ({ slug, caller, operation, from, until }) => ({ slug, caller, operation, from, until });

/**
 * The second at which a day begins where the reader is; undefined for what is no day.
 * @param {string | undefined} day @param {number} [later] Days after it.
 */
export function startOf(day, later = 0) {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day ?? '') ?? [];
  if (!year) return undefined;
  const second = new Date(Number(year), Number(month) - 1, Number(date) + later).getTime() / 1000;
  return Number.isFinite(second) ? second : undefined;
}

/** @param {Filter} filter @param {string} [cursor] */
export function auditQuery({ slug, caller, operation, from, until }, cursor) {
  const after = startOf(until, 1);
  const key = partsOf(slug ?? '');
  return { limit: PAGE_SIZE, cursor, slug: key.slug || undefined, domain: key.domain, caller, operation, from: startOf(from), until: after === undefined ? undefined : after - 1 };
}

/**
 * The names that can be chosen: the fixed ones, those that lines have shown, and the chosen one.
 * @param {Iterable<string>} seen @param {string | undefined} chosen
 */
export function namesOf(seen, chosen) {
  const fixed = CALLERS.map(([name]) => name);
  const others = new Set([...seen, ...(chosen ? [chosen] : [])].filter((name) => !fixed.includes(name)));
  return [...fixed, ...[...others].sort()];
}
