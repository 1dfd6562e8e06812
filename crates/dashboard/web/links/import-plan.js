// A file of links, cut into requests, and what became of each row.
import { keyOf } from './key.js';
import { csvRecords } from '../text/csv.js';

/** Links in one request; the server's own limit when nobody changed it. */
export const BATCH = 100;

/**
 * @typedef {{ kind: 'json', rows: object[] } | { kind: 'csv', header: string, rows: string[] }} FilePlan
 * @typedef {FilePlan | { kind: 'lines', rows: string[] }} Plan
 * @typedef {{ row: number, slug: string, outcome: 'made' | 'skipped' | 'failed', why: string }} Outcome
 * @typedef {{ success: number, skipped: number, failed: number, successItems: Item[], skippedItems: Item[], failedItems: (Item & { reason: string })[] }} Answer
 * @typedef {{ index: number, slug: string, domain?: string }} Item
 */

/**
 * Reads a file: an export of ours or Sink's as JSON, a list of links, or a table.
 * @param {string} name @param {string} text @returns {FilePlan}
 * @throws {Error} When it is neither.
 */
export function planOf(name, text) {
  if (/^\s*[[{]/.test(text)) {
    const parsed = JSON.parse(text);
    const rows = Array.isArray(parsed) ? parsed : parsed.links;
    if (!Array.isArray(rows)) throw new Error(`${name}: no list named "links"`);
    return { kind: 'json', rows };
  }
  const [header, ...rows] = csvRecords(text);
  if (!header) throw new Error(`${name}: empty`);
  return { kind: 'csv', header, rows };
}

/**
 * The file, whose links are of that domain unless they name one.
 * @param {FilePlan} plan @param {string} domain Empty for the default one, which needs no name. @returns {FilePlan}
 */
export function inDomain(plan, domain) {
  if (!domain) return plan;
  if (plan.kind === 'json') return { ...plan, rows: plan.rows.map((row) => ('domain' in row ? row : { ...row, domain })) };
  return /(^|,)\s*"?domain"?\s*(,|$)/i.test(plan.header) ? plan : { ...plan, header: `${plan.header},domain`, rows: plan.rows.map((row) => `${row},${domain}`) };
}

/** Addresses that somebody pasted, each once. @param {string} text */
export function linesOf(text) {
  return [...new Set(text.split(/\s+/).filter(Boolean))];
}

/** The positions of rows, in requests. @param {number} rows @returns {number[][]} */
export function batches(rows, size = BATCH) {
  return Array.from({ length: Math.ceil(rows / size) }, (_, batch) => Array.from({ length: Math.min(size, rows - batch * size) }, (__, at) => batch * size + at));
}

/**
 * The rows that a refusal names, by their place in the request: a wrong link
 * refuses all of it.
 * @param {{ path: string[], message: string, expected?: string }[]} issues @returns {Map<number, string>}
 */
export function refusedRows(issues) {
  /** @type {Map<number, string>} */
  const refused = new Map();
  for (const { path, message } of issues) {
    const place = path[0] === 'links' ? Number(path[1]) : NaN;
    if (Number.isInteger(place) && !refused.has(place)) refused.set(place, `${path.slice(2).join('.')}: ${message}`);
  }
  return refused;
}

/** @param {Answer} answer @param {number[]} positions Of the rows of the request, in the file. @returns {Outcome[]} */
export function outcomesOf(answer, positions) {
  const row = (/** @type {number} */ index) => (positions[index] ?? index) + 1;
  const of = (/** @type {Item[]} */ items, /** @type {Outcome['outcome']} */ outcome) => items.map((item) => ({ row: row(item.index), slug: keyOf(item), outcome, why: '' }));
  return [
    ...of(answer.successItems, 'made'),
    ...of(answer.skippedItems, 'skipped'),
    ...answer.failedItems.map(({ reason, ...item }) => ({ row: row(item.index), slug: keyOf(item), outcome: /** @type {const} */ ('failed'), why: reason })),
  ];
}
