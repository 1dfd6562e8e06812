// Projects the borders of world-atlas once, so that the page needs no map
// library: paths of whole numbers by two-letter country code.
//
// Usage: node world.mjs <folder of npm packages>
import { createRequire } from 'node:module';
import { HEIGHT, project } from '../web/chart/equal-earth.js';

const require = createRequire(`${process.argv[2]}/`);
const topology = require('world-atlas/countries-50m.json');
const { numericToAlpha2 } = require('i18n-iso-countries');

const { scale, translate } = topology.transform;

/** Arcs in degrees: what is stored are differences of whole numbers. */
const arcs = topology.arcs.map((arc) => {
  let x = 0;
  let y = 0;
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    return [x * scale[0] + translate[0], y * scale[1] + translate[1]];
  });
});

/** An arc that is walked backwards has a negative number. */
const points = (number) => (number < 0 ? [...arcs[~number]].reverse() : arcs[number]);

function ring(numbers) {
  const corners = [];
  for (const number of numbers) {
    for (const [longitude, latitude] of points(number)) {
      const [x, y] = project(longitude, latitude).map(Math.round);
      const last = corners.at(-1);
      if (!last || last[0] !== x || last[1] !== y) corners.push([x, y]);
    }
  }
  if (corners.every(([, y]) => y > HEIGHT)) return '';
  if (corners.length < 4) {
    // A state too small to have an area here still gets a mark.
    return '';
  }
  const [[x0, y0], ...rest] = corners;
  let [x, y] = [x0, y0];
  let path = `M${x0} ${y0}l`;
  for (const [nx, ny] of rest.slice(0, -1)) {
    path += `${nx - x} ${ny - y} `;
    [x, y] = [nx, ny];
  }
  return `${path.trimEnd().replaceAll(' -', '-')}z`;
}

/** A diamond where a state vanishes. */
function mark(polygons) {
  const [longitude, latitude] = points(polygons[0][0][0])[0];
  const [x, y] = project(longitude, latitude).map(Math.round);
  return `M${x - 1} ${y}l1-1 1 1-1 1z`;
}

const world = {};
for (const { id, type, arcs: own } of topology.objects.countries.geometries) {
  const code = id && numericToAlpha2(id);
  if (!code || code === 'AQ') continue;
  const polygons = type === 'Polygon' ? [own] : own;
  const path = polygons.map((rings) => rings.map(ring).join('')).join('') || mark(polygons);
  world[code] = (world[code] ?? '') + path;
}
const sorted = Object.fromEntries(Object.entries(world).sort(([a], [b]) => (a < b ? -1 : 1)));
process.stdout.write(`${JSON.stringify(sorted)}\n`);
