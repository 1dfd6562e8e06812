// Sends a file of links in pieces.
import { importLinks, importTable } from '../api.js';
import { ApiError } from '../problem.js';
import { batches, outcomesOf, refusedRows } from './import-plan.js';

/**
 * A row that the server refuses is reported, and the others of its piece are
 * sent again without it.
 * @param {import('./import-plan.js').FilePlan} plan
 * @param {{ signal: AbortSignal, onOutcomes: (outcomes: import('./import-plan.js').Outcome[]) => void }} how
 */
export async function runImport(plan, { signal, onOutcomes }) {
  for (const batch of batches(plan.rows.length)) {
    let positions = batch;
    while (positions.length > 0 && !signal.aborted) {
      try {
        onOutcomes(outcomesOf(await sendRows(plan, positions), positions));
        break;
      } catch (error) {
        const refused = error instanceof ApiError ? refusedRows(error.issues) : new Map();
        if (refused.size === 0) throw error;
        onOutcomes([...refused].map(([place, why]) => ({ row: (positions[place] ?? 0) + 1, slug: slugOf(plan, positions[place]), outcome: 'failed', why })));
        positions = positions.filter((_, place) => !refused.has(place));
      }
    }
  }
}

/** @param {import('./import-plan.js').FilePlan} plan @param {number[]} positions */
function sendRows(plan, positions) {
  if (plan.kind === 'json') return importLinks(/** @type {any} */ (positions.map((at) => plan.rows[at])));
  return importTable([plan.header, ...positions.map((at) => plan.rows[at])].join('\n'));
}

/** @param {import('./import-plan.js').FilePlan} plan @param {number | undefined} at */
function slugOf(plan, at) {
  const row = plan.rows[at ?? 0];
  return typeof row === 'object' ? String(/** @type {any} */ (row)?.slug ?? '') : String(row ?? '').slice(0, 60);
}
