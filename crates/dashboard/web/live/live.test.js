import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventParser } from './events.js';
import { MOST, inLastMinute, waitAfter, withVisits } from './visits.js';

const visit = (/** @type {string} */ id, /** @type {number} */ timestamp) => /** @type {any} */ ({ id, timestamp });

test('events are whole however the stream is cut', () => {
  const text = ': hello\r\nevent: visit\ndata: {"a":\ndata: 1}\n\ndata: plain\n\nevent: none\n\n';
  for (const size of [1, 2, 7, 1000]) {
    const parse = eventParser();
    const events = [];
    for (let at = 0; at < text.length; at += size) events.push(...parse(text.slice(at, at + size)));
    assert.deepEqual(events, [{ name: 'visit', data: '{"a":\n1}' }, { name: 'message', data: 'plain' }], `${size}`);
  }
});

test('a visit that came twice is there once, and old ones leave', () => {
  const known = withVisits([], [visit('b', 2), visit('a', 1)]);
  assert.equal(withVisits(known, [visit('a', 1)]), known);
  assert.deepEqual(withVisits(known, [visit('c', 3)]).map(({ id }) => id), ['c', 'b', 'a']);
  const many = withVisits(known, Array.from({ length: MOST + 5 }, (_, n) => visit(`n${n}`, n + 10)));
  assert.equal(many.length, MOST);
  assert.equal(inLastMinute([visit('a', 100), visit('b', 39)], 100), 1);
});

test('waits grow up to half a minute', () => {
  assert.deepEqual([0, 1, 2, 9].map(waitAfter), [1, 2, 4, 30]);
});
