// Tables as CSV (RFC 4180), and back.

/** @param {unknown} value */
function cell(value) {
  let text = value === null || value === undefined ? '' : String(value);
  // A spreadsheet would run these as formulas.
  if (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {unknown[][]} rows */
export function writeCsv(rows) {
  return rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n';
}

/**
 * The records of a table, each as its own text with quotes kept, so that a
 * table can be sent in pieces unchanged.
 * @param {string} text @returns {string[]}
 */
export function csvRecords(text) {
  const records = [];
  let record = '';
  let quoted = false;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    record = record === '' && !quoted ? line : `${record}\n${line}`;
    if ((line.split('"').length - 1) % 2 === 1) quoted = !quoted;
    if (quoted) continue;
    if (record.trim() !== '') records.push(record);
    record = '';
  }
  if (quoted && record.trim() !== '') records.push(record);
  return records;
}
