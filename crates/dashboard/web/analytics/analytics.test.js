import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FILTERS, PANELS } from './dimensions.js';
import { apiQuery, questionOf, toggled } from './question.js';
import { valueName } from './value-name.js';

const NOW = Date.parse('2026-11-05T14:30:00Z') / 1000;
const knows = (/** @type {string} */ zone) => zone !== 'Mars/Olympus';
const question = (/** @type {Record<string, string>} */ query) => questionOf(query, { zone: 'UTC', range: '', compare: '' }, knows, NOW);

test('an address is a question, and what it does not know is ignored', () => {
  const asked = question({ range: '30d', country: 'DE~FR', nonsense: 'x', zone: 'Mars/Olympus', unit: 'minute', compare: 'x' });
  assert.deepEqual([asked.zone, asked.range.name, asked.unit, asked.compare], ['UTC', '30d', 'day', 'none']);
  assert.deepEqual(asked.filters, { country: ['DE', 'FR'] });
  assert.deepEqual(apiQuery(asked.filters, asked.range), { startAt: asked.range.start, endAt: asked.range.end, country: 'DE,FR' });
});

test('a value joins its filter and leaves it, and one with a comma stands alone', () => {
  assert.equal(toggled({}, 'os', 'iOS'), 'iOS');
  assert.equal(toggled({ os: ['iOS'] }, 'os', 'Linux'), 'iOS~Linux');
  assert.equal(toggled({ os: ['iOS'] }, 'os', 'iOS'), undefined);
  assert.equal(toggled({ city: ['Berlin,Germany'] }, 'city', 'Munich,Germany'), 'Munich,Germany');
});

test('two to five links have a line each, unless they are wanted together', () => {
  assert.deepEqual(question({ slug: 'a,b~c' }).lines, ['a', 'b', 'c']);
  assert.deepEqual(question({ slug: 'a,b', sum: '1' }).lines, []);
  assert.deepEqual(question({ slug: 'a,a' }).lines, []);
  assert.deepEqual(question({ slug: 'a,b,c,d,e,f' }).lines, []);
  assert.equal(toggled({ slug: ['a'] }, 'slug', 'b'), 'a,b');
});

test('every property has one tab', () => {
  const types = PANELS.flatMap(({ tabs }) => tabs.map(({ type }) => type));
  assert.equal(new Set(types).size, types.length);
  assert.ok(FILTERS.every((type) => types.includes(type)));
});

test('values have names', () => {
  assert.equal(valueName('country', 'DE', 'en-US', '(none)'), '🇩🇪 Germany');
  assert.equal(valueName('language', 'en-US', 'en-US', '(none)'), 'American English');
  assert.equal(valueName('referer', '', 'en-US', '(none)'), '(none)');
  assert.equal(valueName('city', 'Munich,Germany', 'en-US', ''), 'Munich, Germany');
});
