// A QR code as one path of squares.

/** Modules of white around the code, which readers need. */
export const MARGIN = 4;

/**
 * @param {{ getModuleCount(): number, isDark(row: number, column: number): boolean }} code
 * @returns {{ size: number, path: string }} The side in modules, margin included, and the dark ones; runs of a row are one piece.
 */
export function qrShape(code) {
  const count = code.getModuleCount();
  let path = '';
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      if (!code.isDark(row, column)) continue;
      const begin = column;
      while (column + 1 < count && code.isDark(row, column + 1)) column += 1;
      const length = column - begin + 1;
      path += `M${begin + MARGIN} ${row + MARGIN}h${length}v1h-${length}z`;
    }
  }
  return { size: count + 2 * MARGIN, path };
}

/** A file of its own. @param {{ size: number, path: string }} shape */
export function qrFile({ size, path }) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size * 16}" height="${size * 16}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>\n`;
}
