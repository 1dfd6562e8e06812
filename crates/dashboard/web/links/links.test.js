import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addTotals, noTotals, runBatch, sumOf } from './batch.js';
import { asUrl, createBody, draftOf, emptyDraft, isChanged, looksLikeSlug, patchBody } from './draft.js';
import { batches, inDomain, linesOf, lostNames, outcomesOf, planOf, refusedRows } from './import-plan.js';
import { keyOf, partsOf, shownKey, typedKey } from './key.js';
import { filterOf, listQuery } from './list-query.js';
import { changed, disputed, merged } from './merge.js';
import { originOf } from './origin.js';
import { qrFile, qrShape } from './qr-shape.js';
import { UTM, readUtm, withUtm } from './utm.js';

const ZONE = 'Europe/Berlin';
const link = { id: '1', slug: 'a', url: 'https://example.com/', createdAt: 1, updatedAt: 1, tags: ['x'], comment: 'old', expiration: 1_940_689_800, unsafe: true, password: '•••' };

test('a new link says only what was filled in', () => {
  assert.deepEqual(createBody(emptyDraft('https://example.com/'), ZONE), { url: 'https://example.com/' });
});

test('an opened link that was not touched changes nothing', () => {
  const draft = draftOf(link, ZONE);
  assert.equal(draft.expires, '2031-07-01T18:30');
  assert.equal(isChanged(draft, draftOf(link, ZONE)), false);
  assert.deepEqual(patchBody(link, draft, ZONE), { slug: 'a' });
});

test('only what changed is sent, and what was emptied is removed', () => {
  const draft = { ...draftOf(link, ZONE), comment: '', tags: [], unsafe: false, title: 'T' };
  assert.deepEqual(patchBody(link, draft, ZONE), { slug: 'a', comment: null, tags: null, unsafe: null, title: 'T' });
});

test('a password is kept, set or removed', () => {
  const draft = draftOf(link, ZONE);
  assert.ok(!('password' in patchBody(link, { ...draft, password: 'typed, then kept' }, ZONE)));
  assert.equal(patchBody(link, { ...draft, passwordMode: 'set', password: 'new' }, ZONE).password, 'new');
  assert.equal(patchBody(link, { ...draft, passwordMode: 'remove' }, ZONE).password, null);
});

test('addresses without a scheme are taken for https', () => {
  assert.equal(asUrl(' example.com/a '), 'https://example.com/a');
  assert.equal(asUrl('mailto:a@example.com'), 'mailto:a@example.com');
  assert.equal(asUrl('nonsense'), 'nonsense');
  assert.ok(looksLikeSlug('a_b-1') && !looksLikeSlug('_a') && !looksLikeSlug('a b'));
});

test('files of links are cut into requests', () => {
  assert.deepEqual(planOf('{"version":"1.0","links":[{"slug":"a"}]}'), { kind: 'json', rows: [{ slug: 'a' }] });
  assert.deepEqual(planOf('slug,url\na,b\n'), { kind: 'csv', header: 'slug,url', rows: ['a,b'] });
  assert.throws(() => planOf('{"no":1}'));
  const lines = ['{"k":"head"}', '{"k":"tag","link":"1"}', '{"k":"link","slug":"a"}', '{"k":"link","slug":"b"}', '{"k":"end","lines":3}'];
  assert.deepEqual(planOf(lines.join('\n')), { kind: 'ndjson', header: lines[0], rows: [`${lines[1]}\n${lines[2]}\n`, `${lines[3]}\n`] });
  assert.throws(() => planOf(lines.toSpliced(3, 1).join('\n')));
  assert.deepEqual(planOf('[{"link":"b.ly/1","custom_bitlinks":["x.y/2"]}]').rows.map((/** @type {any} */ row) => row.link), ['x.y/2', 'b.ly/1']);
  assert.deepEqual(planOf('[{"link":"a.b/[1"}]\n[]{"links":[{"link":"a.b/2"}]}').rows.length, 2);
  for (const nothing of ['', 'lorem ipsum', 'PK\0,\nlinks', '[]', '[{"link":"a.b/1"}] {']) assert.throws(() => planOf(nothing));
  assert.deepEqual(linesOf(' https://a.example\nb.example\r\nhttps://a.example '), ['https://a.example', 'b.example']);
  assert.deepEqual(batches(5, 2), [[0, 1], [2, 3], [4]]);
});

test('rows of a refusal and of an answer are those of the file', () => {
  const refused = refusedRows([{ path: ['links', '1', 'url'], message: 'bad' }, { path: ['links', '1', 'slug'], message: 'worse' }, { path: ['version'], message: 'no' }]);
  assert.deepEqual([...refused], [[1, 'url: bad']]);
  const answer = { success: 1, skipped: 0, failed: 1, successItems: [{ index: 0, slug: 'a' }], skippedItems: [{ index: 1, slug: 'c' }, { index: 1, slug: 'd', reason: 'r' }], failedItems: [{ index: 1, slug: 'b', reason: 'r' }], ignoredNames: ['clicks', 'links.0: tag x'] };
  assert.deepEqual(outcomesOf(answer, [100, 102]), [{ row: 101, slug: 'a', outcome: 'made', why: '', cuts: ['tag x'] }, { row: 103, slug: 'c', outcome: 'same', why: '' }, { row: 103, slug: 'd', outcome: 'taken', why: 'r' }, { row: 103, slug: 'b', outcome: 'failed', why: 'r' }]);
  assert.deepEqual(lostNames(answer), ['clicks']);
});

test('a code is drawn in runs, with a margin', () => {
  const dark = [[true, true, false], [false, false, false], [false, true, true]];
  const shape = qrShape({ getModuleCount: () => 3, isDark: (row, column) => dark[row]?.[column] ?? false });
  assert.deepEqual(shape, { size: 11, path: 'M4 4h2v1h-2zM5 6h2v1h-2z' });
  assert.match(qrFile(shape), /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 11 11"/);
});

test('campaign parameters are read from a destination and written into it, and nothing else of it changes', () => {
  const url = 'https://example.com/a?b=%7Eok&UTM_Source=old+letter&c#d?e';
  assert.deepEqual(readUtm(url), { utm_source: 'old letter', utm_medium: '', utm_campaign: '', utm_term: '', utm_content: '' });
  assert.equal(withUtm(url, 'utm_source', 'new & short'), 'https://example.com/a?b=%7Eok&utm_source=new+%26+short&c#d?e');
  assert.equal(withUtm(url, 'utm_source', ''), 'https://example.com/a?b=%7Eok&c#d?e');
  assert.equal(withUtm('https://example.com/', 'utm_term', 'ä'), 'https://example.com/?utm_term=%C3%A4');
  assert.equal(withUtm('https://example.com/?utm_term=x', 'utm_term', ''), 'https://example.com/');
  assert.equal(withUtm('a?utm_term=1&b&utm_term=2', 'utm_term', '3'), 'a?utm_term=3&b');
  assert.equal(readUtm('example.com?utm_term=50%').utm_term, '50%');
});

test('what is typed into a campaign field is what the field shows', () => {
  for (const value of ['a', 'a ', 'a+b', 'ü & = # ? %', '{keyword}']) {
    for (const name of UTM) assert.equal(readUtm(withUtm('https://example.com/?x=1#y', name, value))[name], value);
  }
});

const page = (/** @type {number} */ done, /** @type {string | undefined} */ cursor) => /** @type {any} */ ({ results: [], totals: { ...noTotals(), done }, list_complete: !cursor, cursor });

test('an action goes through its links in pieces and adds up what came of them', async () => {
  /** @type {any[]} */
  const sent = [];
  let totals = noTotals();
  const how = { signal: new AbortController().signal, onPage: (/** @type {any} */ answer) => { totals = addTotals(totals, answer.totals); } };
  const keys = Array.from({ length: 501 }, (_, n) => `s${n}`);
  await runBatch(async (body) => { sent.push(body); return page(body.slugs?.length ?? 0, undefined); }, /** @type {any} */ ({ action: 'delete', dryRun: true }), { keys }, how);
  assert.deepEqual([sent.length, sent[1].slugs, sent[1].dryRun, totals.done, sumOf(totals)], [2, ['s500'], true, 501, 501]);
  sent.length = 0;
  await runBatch(async (body) => { sent.push(body); return page(500, sent.length < 3 ? `c${sent.length}` : undefined); }, /** @type {any} */ ({ action: 'delete' }), { filter: { tag: 'a' }, domain: '*' }, how);
  assert.deepEqual(sent.map(({ cursor, domain }) => [cursor, domain]), [[undefined, '*'], ['c1', '*'], ['c2', '*']]);
  sent.length = 0;
  await runBatch(async (body) => { sent.push(body); return page(1, undefined); }, /** @type {any} */ ({ action: 'delete' }), { keys: ['a', 'go.example/a', 'b'] }, how);
  assert.deepEqual(sent, [{ action: 'delete', slugs: ['a', 'b'] }, { action: 'delete', slugs: ['a'], domain: 'go.example' }]);
});

test('an action that is stopped sends nothing more', async () => {
  const abort = new AbortController();
  let calls = 0;
  await runBatch(async () => { calls += 1; abort.abort(); return page(500, 'more'); }, /** @type {any} */ ({ action: 'delete' }), { filter: {}, domain: '' }, { signal: abort.signal, onPage: () => {} });
  assert.equal(calls, 1);
});

test('two people’s changes go together unless both changed the same', () => {
  const base = draftOf(link, ZONE);
  const mine = { ...base, comment: 'mine', title: 'same', passwordMode: /** @type {const} */ ('set'), password: 'new' };
  const theirs = { ...base, comment: 'theirs', title: 'same', tags: ['x', 'y'] };
  assert.deepEqual(changed(base, mine), ['comment', 'passwordMode', 'title']);
  assert.deepEqual(disputed(base, mine, theirs), ['comment']);
  assert.deepEqual(merged(base, mine, theirs), { ...theirs, comment: 'mine', passwordMode: 'set', password: 'new' });
  assert.deepEqual(merged(base, mine, theirs, new Set(/** @type {const} */ (['comment']))), { ...theirs, passwordMode: 'set', password: 'new' });
});

test('orders by visits name their span on the first page only', () => {
  assert.deepEqual(listQuery({ sort: 'visits', q: 'a' }), { limit: 50, cursor: undefined, q: 'a', tag: undefined, status: undefined, domain: undefined, sort: 'visits', startAt: 0 });
  assert.equal(listQuery({ sort: 'visits' }, 'next').startAt, undefined);
  assert.deepEqual([listQuery({ sort: 'recent' }).sort, listQuery({ sort: 'recent' }).startAt], ['visits', undefined]);
  assert.equal(listQuery({ sort: 'az' }).sort, 'az');
});

test('a key is a slug, after its domain where that has a name', () => {
  for (const text of ['promo', 'go.example/promo', '[::1]/a']) assert.equal(keyOf(partsOf(text)), text);
  assert.deepEqual([shownKey('promo'), shownKey('go.example/promo')], ['/promo', 'go.example/promo']);
  const typed = (/** @type {string} */ text, domain = '') => typedKey(text, domain, 's.example');
  assert.deepEqual([typed(' /a '), typed('a', 'go.example'), typed('a', '*'), typed('', 'go.example')], ['a', 'go.example/a', 'a', '']);
  assert.deepEqual([typed('https://go.example/a'), typed('s.example/a', 'go.example')], ['go.example/a', 'a']);
});

test('a short link of a named domain has the scheme and the port of the public address', () => {
  assert.equal(originOf('https://s.example/below', ''), 'https://s.example/below');
  assert.equal(originOf('http://s.example:8080', 'go.example'), 'http://go.example:8080');
  assert.equal(originOf('https://s.example', 'go.example'), 'https://go.example');
});

test('a link says its domain when it is made, and when it is changed', () => {
  assert.deepEqual(createBody(emptyDraft('https://example.com/', 'go.example'), ZONE), { url: 'https://example.com/', domain: 'go.example' });
  const there = { ...link, domain: 'go.example' };
  assert.deepEqual(patchBody(there, { ...draftOf(there, ZONE), comment: 'new' }, ZONE), { slug: 'a', domain: 'go.example', comment: 'new' });
});

test('links of a file that name no domain get one', () => {
  const json = /** @type {const} */ ({ kind: 'json', rows: [{ slug: 'a' }, { slug: 'b', domain: 'x.example' }] });
  assert.deepEqual(inDomain(json, 'go.example').rows, [{ slug: 'a', domain: 'go.example' }, { slug: 'b', domain: 'x.example' }]);
  const csv = { kind: /** @type {const} */ ('csv'), header: 'slug,url', rows: ['a,b'] };
  assert.deepEqual(inDomain(csv, 'go.example'), { kind: 'csv', header: 'slug,url,domain', rows: ['a,b,go.example'] });
  const named = { ...csv, header: 'slug,url,domain', rows: ['a,b,'] };
  assert.deepEqual([inDomain(named, 'go.example'), inDomain(csv, '')], [named, csv]);
});

test('a list asks for its domain', () => {
  assert.equal(listQuery(filterOf({ q: 'a', domain: 'ignored' }, 'go.example')).domain, 'go.example');
});
