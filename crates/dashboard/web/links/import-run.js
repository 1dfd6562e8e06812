// Sends a file of links in pieces.
import { importFile, importLinks } from '../api.js';
import { ApiError } from '../problem.js';
import { batches, isForeign, lostNames, outcomesOf, refusedRows } from './import-plan.js';

/**
 * A row that the server refuses is reported, and the others of its piece are
 * sent again without it.
 * @param {import('./import-plan.js').FilePlan} plan
 * @param {{ signal: AbortSignal, check: boolean, domain: string, onOutcomes: (outcomes: import('./import-plan.js').Outcome[], lost: string[]) => void }} how
 *   `check` stores nothing; links of other products come into the domain.
 */
export async function runImport(plan, { signal, check, domain, onOutcomes }) {
  // A blank stands for the default domain, because what is empty is left out.
  const terms = { validateOnly: check ? /** @type {const} */ ('true') : undefined, domain: isForeign(plan) ? domain || ' ' : undefined };
  for (const batch of batches(plan.rows.length)) {
    let positions = batch;
    while (positions.length > 0 && !signal.aborted) {
      try {
        const answer = await sendRows(plan, positions, terms);
        onOutcomes(outcomesOf(answer, positions), lostNames(answer));
        break;
      } catch (error) {
        const refused = error instanceof ApiError ? refusedRows(error.issues) : new Map();
        if (refused.size === 0) throw error;
        onOutcomes([...refused].map(([place, why]) => ({ row: (positions[place] ?? 0) + 1, slug: slugOf(plan, positions[place]), outcome: 'failed', why })), []);
        positions = positions.filter((_, place) => !refused.has(place));
      }
    }
  }
}

/** @param {import('./import-plan.js').FilePlan} plan @param {number[]} positions @param {import('../api.js').ImportTerms} terms */
function sendRows(plan, positions, terms) {
  if (plan.kind === 'json') return importLinks(/** @type {any} */ (positions.map((at) => plan.rows[at])), terms);
  const rows = positions.map((at) => plan.rows[at]);
  if (plan.kind === 'csv') return importFile([plan.header, ...rows].join('\n'), 'text/csv', terms);
  const lines = rows.join('');
  const end = JSON.stringify({ k: 'end', lines: lines.split('\n').length - 1 });
  return importFile(`${plan.header}\n${lines}${end}`, 'application/x-ndjson', terms);
}

/** @param {import('./import-plan.js').FilePlan} plan @param {number | undefined} at */
function slugOf(plan, at) {
  const row = plan.rows[at ?? 0];
  if (plan.kind === 'ndjson') return String(JSON.parse(String(row).trim().split('\n').at(-1) ?? '{}').slug ?? '');
  return typeof row === 'object' ? String(/** @type {any} */ (row)?.slug ?? '') : String(row ?? '').slice(0, 60);
}
