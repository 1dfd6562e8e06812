// A file of links, cut into requests, and what became of each row.
import { keyOf } from './key.js';
import { csvRecords } from '../text/csv.js';

/** Links in one request; the server's own limit when nobody changed it. */
export const BATCH = 100;

/**
 * @typedef {{ kind: 'json', rows: object[] } | { kind: 'csv' | 'ndjson', header: string, rows: string[] }} FilePlan
 * @typedef {FilePlan | { kind: 'lines', rows: string[] }} Plan
 * @typedef {{ row: number, slug: string, outcome: 'made' | 'same' | 'taken' | 'failed', why: string, cuts?: string[] }} Outcome
 *   The link of an earlier import has the slug of one that is the same, and another link that of one that is taken.
 * @typedef {{ success: number, skipped: number, failed: number, successItems: Item[], skippedItems: Item[], failedItems: Item[], ignoredNames?: string[] }} Answer
 * @typedef {{ index: number, slug: string, domain?: string, reason?: string }} Item
 */

/** The most bytes of a file that the page reads; the command reads any number. */
export const LARGEST = 20_000_000;

/**
 * Reads a file: an export of ours or Sink's as JSON, a page of Dub or Bitly, a list of links, a table, or what
 * `slugline import --sql` wrote.
 * @param {string} text @returns {FilePlan}
 * @throws {Error} When it is neither, or holds no link.
 */
export function planOf(text) {
  const plan = /^\s*\{\s*"k"/.test(text) ? planOfLines(text) : /^\s*[[{]/.test(text) ? planOfJson(text) : planOfTable(text);
  if (plan.rows.length === 0 || text.includes('\0')) throw new Error('');
  return plan;
}

/** @param {string} text @returns {FilePlan} */
function planOfTable(text) {
  const [header = '', ...rows] = csvRecords(text);
  return { kind: 'csv', header, rows };
}

/** `curl` writes the pages of an API one after another. @param {string} text @returns {FilePlan} */
function planOfJson(text) {
  let rows = /** @type {object[]} */ ([]);
  let depth = 0;
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (mark.length > 1) continue;
    depth += mark === '[' || mark === '{' ? 1 : -1;
    if (depth > 0) continue;
    const page = JSON.parse(text.slice(start, index + 1));
    const links = Array.isArray(page) ? page : page.links;
    if (!Array.isArray(links)) throw new Error('no list named "links"');
    rows = rows.concat(links.flatMap(withEachAddress));
    start = index + 1;
  }
  if (text.slice(start).trim() !== '') JSON.parse(text.slice(start));
  return { kind: 'json', rows };
}

/** A row is a link behind its tags and conditions. @param {string} text @returns {FilePlan} */
function planOfLines(text) {
  const [header = '', ...parts] = text.split('\n').filter((line) => line.trim() !== '');
  const rows = [];
  let row = '';
  let counted = Infinity;
  for (const line of parts) {
    const { k, lines } = JSON.parse(line);
    if (k === 'end') counted = lines;
    row += `${line}\n`;
    if (k === 'link') rows.push(row);
    if (k === 'link' || k === 'end') row = '';
  }
  if (parts.length - 1 < counted) throw new Error(`${parts.length} / ${counted === Infinity ? '?' : counted + 1}`);
  return { kind: 'ndjson', header, rows };
}

/** A link of Bitly may have several addresses, and each becomes a row. @param {any} link @returns {object[]} */
function withEachAddress(link) {
  const own = link?.custom_bitlinks ?? [];
  return own.length === 0 ? [link] : [...new Set([...own, link.link])].map((address) => ({ ...link, link: address, custom_bitlinks: [] }));
}

/** If the file is of another product, whose links name hosts of their own. @param {FilePlan} plan */
export function isForeign(plan) {
  if (plan.kind === 'json') return plan.rows.slice(0, 1).some((row) => !('slug' in row));
  return plan.kind === 'ndjson' || !/(^|[,;\t])\s*"?slug"?\s*([,;\t]|$)/i.test(plan.header);
}

/**
 * The file, whose links are of that domain unless they name one.
 * @param {FilePlan} plan @param {string} domain Empty for the default one, which needs no name. @returns {FilePlan}
 */
export function inDomain(plan, domain) {
  if (!domain || isForeign(plan)) return plan;
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

/** A part of one link that was left out begins with its place. */
const CUT = /^links\.(\d+): (.*)$/s;

/** The names without a counterpart here. @param {Answer} answer */
export function lostNames({ ignoredNames = [] }) {
  return ignoredNames.filter((name) => !CUT.test(name));
}

/** @param {Answer} answer @param {number[]} positions Of the rows of the request, in the file. @returns {Outcome[]} */
export function outcomesOf(answer, positions) {
  const row = (/** @type {number} */ index) => (positions[index] ?? index) + 1;
  const cuts = new Map();
  for (const name of answer.ignoredNames ?? []) {
    const [, at, part] = CUT.exec(name) ?? [];
    if (at) cuts.set(Number(at), [...(cuts.get(Number(at)) ?? []), part]);
  }
  const of = (/** @type {Item[]} */ items, /** @type {(item: Item) => Outcome['outcome']} */ outcome) => items.map((item) => ({ row: row(item.index), slug: keyOf(item), outcome: outcome(item), why: item.reason ?? '', ...(cuts.has(item.index) && { cuts: cuts.get(item.index) }) }));
  return [
    ...of(answer.successItems, () => 'made'),
    ...of(answer.skippedItems, ({ reason }) => (reason ? 'taken' : 'same')),
    ...of(answer.failedItems, () => 'failed'),
  ];
}
