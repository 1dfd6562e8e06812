import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditQuery, namesOf, startOf } from './query.js';

test('a range of days is whole days where the reader is', () => {
  const from = new Date(2027, 0, 30).getTime() / 1000;
  const until = new Date(2027, 1, 1).getTime() / 1000 - 1;
  assert.deepEqual(auditQuery({ slug: 'a', from: '2027-01-30', until: '2027-01-31' }, 'c'), { limit: 50, cursor: 'c', slug: 'a', domain: undefined, caller: undefined, operation: undefined, from, until });
});

test('what is no day is no bound', () => {
  assert.deepEqual(['', 'soon', '2027-1-1', undefined].map((day) => startOf(day)), [undefined, undefined, undefined, undefined]);
});

test('names are there once, the fixed ones first', () => {
  assert.deepEqual(namesOf(['ci', 'site', 'ci', 'app'], 'gone'), ['site', 'operator', 'service', 'app', 'ci', 'gone']);
});

test('a key is asked for by its slug and its domain', () => {
  const { slug, domain } = auditQuery({ slug: 'go.example/a' });
  assert.deepEqual([slug, domain], ['a', 'go.example']);
});
