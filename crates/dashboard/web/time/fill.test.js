import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketsOf, filled } from './fill.js';
import { rangeOf } from './range.js';

const BERLIN = 'Europe/Berlin';
const at = (/** @type {string} */ text) => Date.parse(text) / 1000;
const NOW = at('2026-11-05T14:30:00Z');
const hours = (/** @type {string} */ date) => {
  const { start, end } = rangeOf(`${date}..${date}`, BERLIN, NOW);
  return bucketsOf(start, end, 'hour', BERLIN);
};

test('the hour that spring skips is absent and the hour that autumn repeats is one', () => {
  assert.equal(hours('2026-03-29').length, 23);
  assert.ok(!hours('2026-03-29').includes('2026-03-29 02'));
  assert.equal(hours('2026-10-25').length, 24);
  assert.equal(hours('2026-06-01').length, 24);
});

test('half hours of offset lose no bucket', () => {
  const { start, end } = rangeOf('2026-06-01..2026-06-01', 'Asia/Kolkata', NOW);
  assert.equal(bucketsOf(start, end, 'hour', 'Asia/Kolkata').length, 24);
});

test('empty buckets are zero and others keep their numbers', () => {
  const range = rangeOf('2026-10-30..2026-11-01', BERLIN, NOW);
  const row = { time: '2026-10-31', visits: 4, visitors: 3 };
  assert.deepEqual(filled([row], range, 'day', BERLIN), [{ time: '2026-10-30', visits: 0, visitors: 0 }, row, { time: '2026-11-01', visits: 0, visitors: 0 }]);
});

test('all time begins with the first visit, and is empty without any', () => {
  const range = rangeOf('all', BERLIN, NOW);
  assert.equal(filled([{ time: '2026-11-01', visits: 1, visitors: 1 }], range, 'day', BERLIN).length, 5);
  assert.deepEqual(filled([], range, 'day', BERLIN), []);
});
