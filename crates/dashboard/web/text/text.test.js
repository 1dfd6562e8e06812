import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countryCodes, countryName } from './country.js';
import { csvRecords, writeCsv } from './csv.js';
import { headAndEnd } from './middle.js';
import { ageParts, changeOf, numbers } from './number.js';
import { bare, hostOf, middleCut } from './shorten.js';

test('addresses lose their middle, not their end', () => {
  assert.equal(bare('https://www.example.com/'), 'example.com');
  const cut = middleCut(`example.com/${'a'.repeat(90)}?id=9`, 30);
  assert.equal([...cut].length, 30);
  assert.ok(cut.startsWith('example.com/') && cut.endsWith('?id=9'));
  assert.equal(middleCut('short', 30), 'short');
  assert.equal(hostOf('no address'), '');
});

test('an address keeps its host and the last part that fits, whole', () => {
  assert.deepEqual(headAndEnd('example.com/short'), ['example.com/short', '']);
  assert.deepEqual(headAndEnd('shop.example.com/collections/story-199'), ['shop.example.com/collections', '/story-199']);
  assert.deepEqual(headAndEnd('example.com/blog?utm_source=letter&utm_medium=email'), ['example.com/blog?utm_source=letter', '&utm_medium=email']);
  const [head, end] = headAndEnd(`example.com/${'ä'.repeat(60)}`);
  assert.equal([...end].length, 12);
  assert.ok(head.startsWith('example.com/'));
});

test('what a spreadsheet would run is text in a table', () => {
  assert.equal(writeCsv([['=1+1', '-5', 'a,"b"', null]]), '\'=1+1,-5,"a,""b""",\r\n');
});

test('records of a table keep lines within quotes together', () => {
  assert.deepEqual(csvRecords('\uFEFFslug,url\r\na,"x\ny"\n\nb,"say ""hi"""\n'), ['slug,url', 'a,"x\ny"', 'b,"say ""hi"""']);
  assert.deepEqual(csvRecords('a\n"never closed'), ['a', '"never closed']);
});

test('ages take the unit that says most', () => {
  assert.deepEqual([-30, -90, -7200, -86_400 * 3, -86_400 * 20, -86_400 * 90, -86_400 * 800].map((age) => ageParts(age)), [[-30, 'second'], [-1, 'minute'], [-2, 'hour'], [-3, 'day'], [-2, 'week'], [-2, 'month'], [-2, 'year']]);
});

test('ages read as ages in every language', () => {
  for (const language of ['de-DE', 'en-US', 'fr-FR', 'id-ID', 'it-IT', 'pt-BR', 'pt-PT', 'vi-VN', 'zh-CN', 'zh-TW']) {
    for (const age of [-30, -300, -79_200, 345_600, -1_900_000, -7_000_000, 99_000_000]) {
      assert.doesNotMatch(numbers(language).age(age, 0), /^[-+\u2212]/, language);
    }
  }
  assert.equal(numbers('fr-FR').age(-79_200, 0).replace(/\s/g, ' '), 'il y a 22 h');
});

test('numbers are written in the reader’s language', () => {
  assert.equal(numbers('de-DE').full(12_480), '12.480');
  assert.equal(numbers('en-US').short(12_480), '12.5K');
  assert.equal(numbers('en-US').share(1, 400), '0.3%');
  assert.equal(numbers('en-US').share(1, 0), '');
  assert.equal(changeOf(5, 0), undefined);
  assert.equal(changeOf(6, 4), 0.5);
});

test('countries have names', () => {
  assert.equal(countryName('DE', 'de-DE'), 'Deutschland');
  assert.equal(new Set(countryCodes).size, countryCodes.length);
});
