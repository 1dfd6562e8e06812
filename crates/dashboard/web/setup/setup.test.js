import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingsOf } from './findings.js';
import { HIDDEN, bookmarklet, shareX, snippets } from './snippets.js';

test('every snippet names the address and carries the token it was given', () => {
  for (const { name, text } of snippets('https://go.example/below', 'secret-token')) {
    assert.ok(text.includes('https://go.example/below') && text.includes('secret-token'), name);
  }
  for (const { name, text } of snippets('https://go.example', HIDDEN)) assert.ok(!text.includes('secret'), name);
});

test('the files of other programs are valid, and the bookmark holds no token', () => {
  assert.equal(JSON.parse(shareX('https://go.example', 't')).URL, '{json:shortLink}');
  assert.equal(bookmarklet('https://go.example/_dashboard/'), 'javascript:void open("https://go.example/_dashboard/links?url="+encodeURIComponent(location.href))');
});

test('findings come worst first, and none from a server that does not tell', () => {
  assert.deepEqual(findingsOf(undefined), []);
  const found = findingsOf({ findings: [{ level: 'ok', text: 'fine' }, { level: 'warning', text: 'mend', setting: 'SLUGLINE_X', value: '1' }] });
  assert.deepEqual(found.map(({ text, setting }) => [text, setting]), [['mend', 'SLUGLINE_X=1'], ['fine', '']]);
});
