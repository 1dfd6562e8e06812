import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEIGHT, WIDTH, project } from './equal-earth.js';
import { heatSteps, weekGrid } from './heat.js';
import { areaPath, bandPath, linePath, placeAt, xOf } from './lines.js';
import { labelled, ticks } from './scale.js';

const frame = { width: 200, height: 100, left: 40, right: 10, top: 10, bottom: 20 };

test('an axis ends in a round number above the largest value', () => {
  assert.deepEqual(ticks(948), [0, 500, 1000]);
  assert.deepEqual(ticks(3), [0, 1, 2, 3]);
  assert.deepEqual(ticks(0), [0, 1]);
  for (const largest of [1, 7, 99, 101, 12_345]) assert.ok((ticks(largest).at(-1) ?? 0) >= largest);
});

test('labels have room', () => {
  for (const count of [1, 24, 168, 365, 3650]) {
    const shown = labelled(count, 1000, 64);
    assert.ok(shown.length <= Math.max(2, 1000 / 64) && shown[0] === 0, `${count}`);
  }
});

test('a line goes from edge to edge and its area closes on the floor', () => {
  assert.equal(linePath([0, 10], 10, frame), 'M40 80L190 10');
  assert.equal(areaPath([0, 10], 10, frame), 'M40 80L190 10L190 80L40 80Z');
  assert.equal(areaPath([], 10, frame), '');
  assert.equal(xOf(0, 1, frame), 115);
});

test('a band goes along the highest values and back along the lowest', () => {
  assert.equal(bandPath([0, 5], [1, 2], 10, frame), 'M40 73L190 31L190 59L40 80Z');
  assert.equal(bandPath([0, 5], [0, 0], 10, frame), '');
});

test('a pointer finds the nearest place', () => {
  assert.deepEqual([-5, 40, 190, 400].map((x) => placeAt(x, 4, frame)), [0, 0, 3, 3]);
});

test('colours go by rank, so a spike does not drown the rest', () => {
  assert.deepEqual(heatSteps([0, 1, 2, 3, 4, 100_000]), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(heatSteps([7, 7]), [5, 5]);
});

test('a week has all of its hours', () => {
  const grid = weekGrid([{ weekday: 7, hour: 23, visits: 3, visitors: 2 }, { weekday: 9, hour: 1, visits: 1, visitors: 1 }]);
  assert.equal(grid.length, 7);
  assert.deepEqual(grid[6]?.[23], { visits: 3, visitors: 2 });
  assert.equal(grid.flat().reduce((sum, { visits }) => sum + visits, 0), 3);
});

test('a week on average has the averages of its rows, and nothing where there is none', () => {
  const grid = weekGrid([{ weekday: 1, hour: 0, visits: 9, visitors: 4, average: { visits: 4.5, visitors: 2 } }, { weekday: 1, hour: 1, visits: 1, visitors: 1 }], true);
  assert.deepEqual(grid[0]?.slice(0, 2), [{ visits: 4.5, visitors: 2 }, { visits: 0, visitors: 0 }]);
});

test('the map holds the places that people live in', () => {
  for (const [longitude, latitude] of /** @type {const} */ ([[0, 0], [13.4, 52.5], [-68.3, -54.8], [179.9, -16.5], [-179.9, 65], [25, 71]])) {
    const [x, y] = project(longitude, latitude);
    assert.ok(x >= 0 && x <= WIDTH && y >= 0 && y <= HEIGHT, `${longitude} ${latitude}: ${x} ${y}`);
  }
});
