import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RANGE, PRESETS, comparedWith, fittingUnit, possibleUnits, rangeOf, stepped } from './range.js';

const ZONE = 'Europe/Berlin';
const at = (/** @type {string} */ text) => Date.parse(text) / 1000;
const NOW = at('2026-11-05T14:30:00Z');
const range = (/** @type {string} */ name) => rangeOf(name, ZONE, NOW);

test('presets end now, and those of days begin with a day', () => {
  assert.deepEqual(range('today'), { name: 'today', start: at('2026-11-04T23:00:00Z'), end: NOW, first: '2026-11-05', last: '2026-11-05' });
  assert.deepEqual([range('7d').first, range('30d').first], ['2026-10-30', '2026-10-07']);
  assert.deepEqual([range('last-month').first, range('last-month').last], ['2026-10-01', '2026-10-31']);
  assert.equal(range('last-month').end, at('2026-10-31T23:00:00Z') - 1);
  for (const name of PRESETS) assert.ok(range(name).start <= range(name).end && range(name).end <= NOW, name);
});

test('dates and moments are spans, and nonsense is the default', () => {
  assert.equal(range('2026-10-25..2026-10-25').end - range('2026-10-25..2026-10-25').start, 25 * 3600 - 1);
  assert.deepEqual(range('1700000000..1700000059'), { name: '1700000000..1700000059', start: 1_700_000_000, end: 1_700_000_059 });
  for (const bad of ['', 'x', '2026-02-30..2026-03-01', '2026-03-02..2026-03-01', '9..1', '1700000059..1700000000']) assert.equal(range(bad).first, range(DEFAULT_RANGE).first, bad);
});

test('a step moves by the length of the span, a month by months, and never into the future', () => {
  assert.equal(stepped(range('7d'), -1, ZONE, NOW), '2026-10-23..2026-10-29');
  assert.equal(stepped(range('2026-10-23..2026-10-29'), 1, ZONE, NOW), '2026-10-30..2026-11-05');
  assert.equal(stepped(range('month'), -1, ZONE, NOW), '2026-10-01..2026-10-31');
  assert.equal(stepped(range('2026-03-01..2026-03-31'), -1, ZONE, NOW), '2026-02-01..2026-02-28');
  assert.equal(stepped(range('today'), 1, ZONE, NOW), undefined);
  assert.equal(stepped(range('all'), -1, ZONE, NOW), undefined);
});

test('the earlier span is as long, up to the same time of day', () => {
  const today = range('today');
  const yesterday = comparedWith(today, 'previous', ZONE);
  assert.equal(yesterday?.first, '2026-11-04');
  assert.equal((yesterday?.end ?? 0) - (yesterday?.start ?? 0), today.end - today.start);
  assert.equal(comparedWith(range('30d'), 'weekday', ZONE)?.first, '2026-09-02');
  assert.equal(comparedWith(range('7d'), 'year', ZONE)?.first, '2025-10-31');
  assert.equal(comparedWith(range('all'), 'previous', ZONE), undefined);
  assert.equal(comparedWith(range('7d'), 'none', ZONE), undefined);
});

test('units draw a readable number of points', () => {
  assert.deepEqual(['today', '7d', '30d', '12m'].map((name) => fittingUnit(range(name))), ['hour', 'hour', 'day', 'day']);
  for (const name of PRESETS) assert.ok(possibleUnits(range(name)).includes(fittingUnit(range(name))), name);
});
