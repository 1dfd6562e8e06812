import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FILTERS, PANELS } from './dimensions.js';
import { apiQuery, oneDomain, questionOf, toggled } from './question.js';
import { valueName } from './value-name.js';

const NOW = Date.parse('2026-11-05T14:30:00Z') / 1000;
const knows = (/** @type {string} */ zone) => zone !== 'Mars/Olympus';
const one = (/** @type {string} */ type, /** @type {string} */ value) => ({ [type]: { values: [value], excluded: false } });
const question = (/** @type {Record<string, string>} */ query) => questionOf(query, { zone: 'UTC', range: '', compare: '', bots: '' }, knows, NOW);

test('an address is a question, and what it does not know is ignored', () => {
  const asked = question({ range: '30d', country: 'DE~FR', nonsense: 'x', zone: 'Mars/Olympus', unit: 'minute', compare: 'x' });
  assert.deepEqual([asked.zone, asked.range.name, asked.unit, asked.compare], ['UTC', '30d', 'day', 'none']);
  assert.deepEqual(asked.filters, { country: { values: ['DE', 'FR'], excluded: false } });
  assert.deepEqual(apiQuery(asked, asked.range), { startAt: asked.range.start, endAt: asked.range.end, country: 'DE,FR' });
});

test('a value joins its filter and leaves it, and one with a comma stands alone', () => {
  assert.equal(toggled({}, 'os', 'iOS'), 'iOS');
  assert.equal(toggled(one('os', 'iOS'), 'os', 'Linux'), 'iOS~Linux');
  assert.equal(toggled(one('os', 'iOS'), 'os', 'iOS'), undefined);
  assert.equal(toggled(one('city', 'Berlin,Germany'), 'city', 'Munich,Germany'), 'Munich,Germany');
});

test('a value is left out, and a click of the other kind begins anew', () => {
  const excluded = { os: { values: ['iOS'], excluded: true } };
  assert.equal(toggled({}, 'os', 'iOS', true), '!iOS');
  assert.equal(toggled(excluded, 'os', 'Linux', true), '!iOS~Linux');
  assert.equal(toggled(excluded, 'os', 'iOS', true), undefined);
  assert.equal(toggled(excluded, 'os', 'Linux'), 'Linux');
  assert.equal(toggled(one('os', 'Linux'), 'os', 'iOS', true), '!iOS');
});

test('whatever a value holds comes back from the address and reaches the API as it was', () => {
  for (const excluded of [false, true]) {
    for (const [value, sent] of [['', '(none)'], ['!a', '!!a'], ['=a', '=a'], ['x, !y', 'x, !!y'], ['plain', 'plain']]) {
      const asked = question({ browser: toggled({}, 'browser', value ?? '', excluded) ?? '' });
      assert.deepEqual(asked.filters, { browser: { values: [value], excluded } });
      assert.equal(apiQuery(asked, asked.range).browser, `${excluded ? '!' : ''}${sent}`);
    }
  }
  assert.equal(apiQuery(question({ bots: 'exclude', tag: 'a,b' }), question({}).range).bots, 'exclude');
  assert.deepEqual(question({ bots: 'nonsense', tag: 'a,b' }).filters.tag?.values, ['a,b']);
});

test('two to five links have a line each, unless they are wanted together', () => {
  assert.deepEqual(question({ slug: 'a,b~c' }).lines, ['a', 'b', 'c']);
  assert.deepEqual(question({ slug: 'a,b', sum: '1' }).lines, []);
  assert.deepEqual(question({ slug: 'a,a' }).lines, []);
  assert.deepEqual(question({ slug: 'a,b,c,d,e,f' }).lines, []);
  assert.equal(toggled(one('slug', 'a'), 'slug', 'b'), 'a,b');
});

test('every property of the API has one tab, with a filter if the API has one', () => {
  const file = new URL('../../../../docs/openapi.json', import.meta.url);
  const { parameters } = JSON.parse(readFileSync(file, 'utf8')).paths['/api/stats/metrics'].get;
  const named = (/** @type {string} */ wanted) => parameters.find((/** @type {{ name: string }} */ { name }) => name === wanted);
  const types = named('type').schema.oneOf.map((/** @type {{ const: string }} */ option) => option.const);
  const tabs = PANELS.flatMap((panel) => panel.tabs);
  const onTheMap = ['latitude', 'longitude'];
  assert.deepEqual([...tabs.map(({ type }) => type), ...onTheMap].sort(), types.sort());
  for (const { type, filter } of tabs) {
    assert.equal(filter, named(type) !== undefined, type);
  }
  assert.ok(FILTERS.every((type) => type === 'tag' || types.includes(type)));
});

test('values have names', () => {
  assert.equal(valueName('country', 'DE', 'en-US', '(none)'), 'Germany');
  assert.equal(valueName('language', 'en-US', 'en-US', '(none)'), 'American English');
  assert.equal(valueName('referer', '', 'en-US', '(none)'), '(none)');
  assert.equal(valueName('city', 'Munich,Germany', 'en-US', ''), 'Munich, Germany');
});

test('the domain is a filter unless links are named, whose names have it', () => {
  const asked = (/** @type {Record<string, string>} */ query, domain = 'go.example') => questionOf(query, { zone: 'UTC', range: '', compare: '', bots: '', domain }, knows, NOW);
  const sent = (/** @type {Record<string, string>} */ query, domain = 'go.example') => apiQuery(asked(query, domain), asked(query, domain).range).domain;
  assert.deepEqual([sent({}), sent({ domain: '*' }), sent({ domain: '(none)' }), sent({ domain: '!a.example' }), sent({}, '')], ['go.example', undefined, '(none)', '!a.example', undefined]);
  assert.equal(sent({ slug: 'a,go.example/a' }), undefined);
  assert.equal(sent({ slug: '!a' }), 'go.example');
  assert.deepEqual(asked({ slug: 'a,go.example/a' }).lines, ['a', 'go.example/a']);
  assert.deepEqual([oneDomain(asked({}).filters), oneDomain(asked({ domain: '(none)' }).filters), oneDomain(asked({ domain: '!a' }).filters), oneDomain({})], ['go.example', '', undefined, undefined]);
});
