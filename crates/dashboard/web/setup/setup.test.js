import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOf, draftOf } from './domain-draft.js';
import { mends, sentenceOf } from './findings.js';
import { HIDDEN, bookmarklet, shareX, snippets } from './snippets.js';

test('every snippet names the address and carries the token it was given', () => {
  for (const { name, text } of snippets('https://go.example/below', 'secret-token')) {
    assert.ok(text.includes('https://go.example/below') && text.includes('secret-token'), name);
  }
  assert.equal(snippets('https://go.example', HIDDEN, true)[0]?.text, 'https://go.example/api/mcp');
  for (const { name, text } of snippets('https://go.example', HIDDEN)) assert.ok(!text.includes('secret'), name);
});

test('the files of other programs are valid, and the bookmark holds no token', () => {
  assert.equal(JSON.parse(shareX('https://go.example', 't')).URL, '{json:shortLink}');
  assert.equal(bookmarklet('https://go.example/_dashboard/'), 'javascript:void open("https://go.example/_dashboard/links?url="+encodeURIComponent(location.href))');
});

test('what mends a finding is a line to copy, and a message is a sentence', () => {
  assert.equal(mends({ setting: 'SLUGLINE_X', value: '1' }), 'SLUGLINE_X=1');
  assert.equal(mends({ setting: 'SLUGLINE_X' }), 'SLUGLINE_X=');
  assert.equal(mends({ command: 'slugline migrate' }), 'slugline migrate');
  assert.equal(sentenceOf('links are here'), 'Links are here.');
  assert.equal(sentenceOf('Done!'), 'Done!');
});

test('a domain that was not touched is sent as it is, and what was emptied is left to the instance', () => {
  const full = { host: 'go.example', homeUrl: 'https://example.com/', notFoundUrl: 'https://example.com/404', expiredUrl: 'https://example.com/410', caseSensitive: false, fallThrough: true };
  assert.deepEqual(bodyOf(draftOf(full)), full);
  assert.deepEqual(bodyOf({ ...draftOf(full), homeUrl: ' ', letters: '', fallThrough: false }), { host: 'go.example', notFoundUrl: full.notFoundUrl, expiredUrl: full.expiredUrl });
  assert.deepEqual(bodyOf(draftOf({ host: 'go.example', fallThrough: false })), { host: 'go.example' });
});
