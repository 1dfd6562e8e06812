import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, bucketText, daysBetween, knowsZone, momentOf, read, startOfDay } from './clock.js';

const BERLIN = 'Europe/Berlin';
const at = (/** @type {string} */ text) => Date.parse(text) / 1000;

test('a clock is read and set back to the same moment', () => {
  for (const zone of ['UTC', BERLIN, 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia']) {
    for (const moment of [at('2026-01-15T12:34:56Z'), at('2026-07-01T23:59:59Z')]) assert.equal(momentOf(read(moment, zone), zone), moment, zone);
  }
});

test('an hour that a clock skips begins after the gap', () => {
  assert.equal(momentOf({ year: 2026, month: 3, day: 29, hour: 2, minute: 30 }, BERLIN), at('2026-03-29T01:30:00Z'));
});

test('an hour that a clock shows twice means the first', () => {
  assert.equal(momentOf({ year: 2026, month: 10, day: 25, hour: 2, minute: 30 }, BERLIN), at('2026-10-25T00:30:00Z'));
});

test('days begin where the zone begins them', () => {
  assert.equal(startOfDay('2026-10-25', BERLIN), at('2026-10-24T22:00:00Z'));
  assert.equal(startOfDay('2026-10-26', BERLIN), at('2026-10-25T23:00:00Z'));
});

test('dates are counted by the calendar', () => {
  assert.equal(addDays('2026-02-28', 1), '2026-03-01');
  assert.equal(addDays('2028-03-01', -1), '2028-02-29');
  assert.equal(daysBetween('2026-03-01', '2026-04-01'), 31);
});

test('buckets are written as the API writes them', () => {
  const reading = read(at('2026-11-05T04:07:00Z'), 'UTC');
  assert.deepEqual(['minute', 'hour', 'day'].map((unit) => bucketText(reading, /** @type {any} */ (unit))), ['2026-11-05 04:07', '2026-11-05 04', '2026-11-05']);
});

test('a zone that nobody knows is told from one that is known', () => {
  assert.equal(knowsZone('Mars/Olympus'), false);
  assert.equal(knowsZone('Europe/Berlin'), true);
});
