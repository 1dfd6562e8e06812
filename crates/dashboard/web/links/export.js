// Links as a file, read page by page.
import { exportPage, exportTable } from '../api.js';
import { save } from '../parts/save.js';
import { keyOf } from './key.js';

/**
 * All links, or those with these keys, in the document that an import takes.
 * @param {ReadonlySet<string>} [only]
 * @param {{ signal?: AbortSignal, onProgress?: (done: number) => void }} [how]
 */
export async function saveExport(only, { signal, onProgress } = {}) {
  /** @type {import('../api.js').Schemas['LinkExport']['links']} */
  const links = [];
  let version = '1.0';
  let exportedAt = '';
  for (let cursor = /** @type {string | undefined} */ (undefined), complete = false; !complete;) {
    const page = await exportPage(cursor, signal);
    links.push(...page.links.filter((link) => !only || only.has(keyOf(link))));
    ({ version, exportedAt } = page);
    complete = page.list_complete || (only !== undefined && links.length === only.size);
    cursor = page.cursor;
    onProgress?.(links.length);
  }
  const text = JSON.stringify({ version, exportedAt, count: links.length, links }, null, 2);
  save(`slugline-links-${exportedAt.slice(0, 10)}.json`, 'application/json', text);
}

/** All links as a table. @param {AbortSignal} [signal] */
export async function saveTable(signal) {
  save('slugline-links.csv', 'text/csv', await exportTable(signal));
}
