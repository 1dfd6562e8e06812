import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { addressOf, viewOf } from './address.js';
import { each } from './pool.js';
import { isPassing, problemOf } from './problem.js';
import { chosenDomain } from './state/domain-choice.js';
import { keyName, match, takesText } from './shortcuts.js';
import { words } from './words/en.js';

const here = new URL('./', import.meta.url);
const modules = readdirSync(here, { recursive: true }).map(String).filter((name) => name.endsWith('.js') && !name.endsWith('.test.js'));
const source = (/** @type {string} */ name) => readFileSync(new URL(name, here), 'utf8');

test('an address is a view and a view has one address', () => {
  assert.deepEqual(viewOf('/below/_dashboard/analytics', '?range=7d'), { page: 'analytics', query: { range: '7d' } });
  assert.equal(viewOf('/_dashboard/', '').page, 'links');
  assert.equal(addressOf('links', { tag: 'a', q: 'x y', status: undefined, sort: '' }), './links?q=x+y&tag=a');
});

test('work is done a few at a time, and a failure is a result', async () => {
  let running = 0;
  let most = 0;
  const done = await each([1, 2, 3, 4, 5, 6], async (n) => {
    running += 1;
    most = Math.max(most, running);
    await null;
    running -= 1;
    if (n === 3) throw new Error('no');
    return n * 2;
  });
  assert.equal(most, 4);
  assert.deepEqual(done.map(({ result }) => result), [2, 4, undefined, 8, 10, 12]);
});

test('an abort leaves the rest undone', async () => {
  const abort = new AbortController();
  const done = await each([1, 2, 3], async (n) => { abort.abort(); return n; }, { atOnce: 1, signal: abort.signal });
  assert.equal(done.length, 1);
});

test('problems of the API keep their faults, and other answers are problems too', () => {
  const problem = problemOf(400, JSON.stringify({ code: 'validation_error', statusMessage: 'Bad', data: { issues: [{ path: ['url'], message: 'is no address', expected: 'an address' }] } }));
  assert.deepEqual([problem.code, problem.message, problem.issueOf('url'), problem.issueOf('slug')], ['validation_error', 'is no address; expected: an address', 'is no address; expected: an address', undefined]);
  assert.equal(problemOf(400, '{"code":"invalid_csv","statusMessage":"Bad Request","message":"line 1"}').message, 'line 1');
  const proxy = problemOf(502, '<html>Bad gateway', '7');
  assert.deepEqual([proxy.status, proxy.code, proxy.retryAfter], [502, '', 7]);
});

test('what passes is told from what would fail again', () => {
  assert.deepEqual([503, 429, 502, 500, 404, 423].map((status) => isPassing(problemOf(status, '{}'))), [true, true, true, false, false, false]);
  assert.equal(isPassing(problemOf(503, '{"code":"query_timeout"}')), false);
  assert.equal(isPassing(new Error('a fault of the page')), false);
});

test('keys are found, also two in a row', () => {
  const shortcuts = /** @type {any[]} */ ([{ keys: 'c' }, { keys: 'g l' }, { keys: 'mod+k' }]);
  assert.equal(match(shortcuts, 'c', '').shortcut?.keys, 'c');
  assert.deepEqual(match(shortcuts, 'g', ''), { pending: 'g' });
  assert.equal(match(shortcuts, 'l', 'g').shortcut?.keys, 'g l');
  assert.equal(match(shortcuts, 'c', 'g').shortcut?.keys, 'c');
  assert.equal(keyName({ key: 'K', metaKey: false, ctrlKey: true, altKey: false }), 'mod+k');
  assert.ok(takesText({ tagName: 'TEXTAREA' }) && !takesText({ tagName: 'INPUT', type: 'checkbox' }));
});

test('every word is used, and no text of the page stands outside the words', () => {
  const all = modules.filter((name) => !name.startsWith('words/')).map(source).join('\n');
  const unused = Object.keys(words).filter((word) => !all.includes(`'${word}'`));
  assert.deepEqual(unused, []);
});

test('blanks of a word are the same in every language, and Chinese has one form of address', async () => {
  const blanks = (/** @type {any} */ text) => [...String(typeof text === 'string' ? text : text.other).matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort().join();
  for (const file of modules.filter((name) => name.startsWith('words/'))) {
    const own = (await import(new URL(file, here).href)).words;
    for (const [word, text] of Object.entries(words)) assert.equal(blanks(own[word]), blanks(text), `${file}: ${word}`);
    assert.doesNotMatch(source(file), /你/, `${file}: 您, as pages for visitors and the dashboards of Sink and Umami say`);
  }
});

test('nothing parses text as HTML and no address is absolute', () => {
  for (const name of modules) {
    assert.doesNotMatch(source(name), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, name);
    assert.doesNotMatch(source(name), /fetch\(['"`]\/|href=['"]\//, name);
  }
});

test('a domain is that of the address, else the last one, and there is no choice where there is one', () => {
  const hosts = ['go.example'];
  assert.equal(chosenDomain('go.example', '*', hosts), 'go.example');
  assert.deepEqual(['(none)', '!go.example', undefined].map((asked) => chosenDomain(asked, 'gone.example', hosts)), ['', '', '']);
  assert.equal(chosenDomain(undefined, '*', hosts), '*');
  assert.equal(chosenDomain('*', 'go.example', []), '');
  assert.equal(chosenDomain(undefined, 'go.example', undefined), 'go.example');
});
