// Six steps of colour by rank: one busy hour does not make all others pale.

/**
 * The step of each value: 0 for nothing, 1 to 5 by its rank among the others.
 * @param {number[]} values @returns {number[]}
 */
export function heatSteps(values) {
  const sorted = [...new Set(values.filter((value) => value > 0))].sort((a, b) => a - b);
  return values.map((value) => {
    if (value <= 0) return 0;
    const rank = sorted.length > 1 ? sorted.indexOf(value) / (sorted.length - 1) : 1;
    return 1 + Math.min(4, Math.floor(rank * 5));
  });
}

/**
 * Rows of Monday to Sunday, each with 24 hours.
 * @param {{ weekday: number, hour: number, visits: number, visitors: number, average?: { visits: number, visitors: number } }[]} rows @param {boolean} [average] Per hour rather than together. @returns {{ visits: number, visitors: number }[][]}
 */
export function weekGrid(rows, average = false) {
  const grid = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => ({ visits: 0, visitors: 0 })));
  for (const row of rows) {
    const day = grid[row.weekday - 1];
    const { visits, visitors } = (average ? row.average : row) ?? { visits: 0, visitors: 0 };
    if (day && row.hour in day) day[row.hour] = { visits, visitors };
  }
  return grid;
}
