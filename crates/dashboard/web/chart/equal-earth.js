// The Equal Earth projection (Šavrič, Patterson and Jenny, 2018): areas are true.

const A = [1.340264, -0.081106, 0.000893, 0.003796];
const M = Math.sqrt(3) / 2;

/** Width of the map in units; its height follows. */
export const WIDTH = 1000;
const SCALE = WIDTH / 5.4130;
/** The map ends below Tierra del Fuego: nobody follows links from farther south. */
export const HEIGHT = 425;

/** @param {number} longitude @param {number} latitude Both in degrees. @returns {[number, number]} In units from the upper left corner. */
export function project(longitude, latitude) {
  const l = Math.asin(M * Math.sin((latitude * Math.PI) / 180));
  const l2 = l * l;
  const l6 = l2 * l2 * l2;
  const [a = 0, b = 0, c = 0, d = 0] = A;
  const x = ((longitude * Math.PI) / 180) * Math.cos(l) / (M * (a + 3 * b * l2 + l6 * (7 * c + 9 * d * l2)));
  const y = l * (a + b * l2 + l6 * (c + d * l2));
  return [WIDTH / 2 + x * SCALE, 236 - y * SCALE];
}
