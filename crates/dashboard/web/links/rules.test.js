import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../problem.js';
import { isShown, kindsOf, listOf, moved, sentWhen, valuesIn, withKind, withoutKind } from './conditions.js';
import { bodyOf, createBody, draftOf, emptyDraft, patchBody } from './draft.js';
import { statusOf } from './status.js';

const ZONE = 'Europe/Berlin';
const link = /** @type {any} */ ({
  id: '1', slug: 'a', url: 'https://example.com/', createdAt: 1, updatedAt: 1, tags: [],
  startsAt: 1_900_000_007, startUrl: 'https://s.example/', expiredUrl: 'https://e.example/', maxVisits: 5, visitsLeft: 3, forwardPath: true, noindex: false,
  rules: [{ when: { country: { not: ['DE'] }, moon: { full: true } }, url: 'https://m.example/' }, { when: { weekday: ['mon'], timeZone: ZONE }, url: 'https://w.example/' }],
  split: [{ url: 'https://b.example/', weight: 30, colour: 'red' }], splitUntil: 1_900_000_011,
});

test('a link with rules, a split and a life that nobody touched changes nothing', () => {
  assert.deepEqual(patchBody(link, draftOf(link, ZONE), ZONE), { slug: 'a' });
});

test('one member is edited and the others are not sent', () => {
  const draft = draftOf(link, ZONE);
  assert.deepEqual(patchBody(link, { ...draft, maxVisits: '' }, ZONE), { slug: 'a', maxVisits: null });
  const [first, second] = draft.rules;
  const body = patchBody(link, { ...draft, rules: [/** @type {any} */ (first), { .../** @type {any} */ (second), url: ' w.example/2 ' }] }, ZONE);
  assert.deepEqual(body, { slug: 'a', rules: [link.rules[0], { when: link.rules[1].when, url: 'https://w.example/2' }] });
  assert.deepEqual(patchBody(link, { ...draft, noindex: '' }, ZONE), { slug: 'a', noindex: null });
  const side = /** @type {any} */ (draft.split[0]);
  assert.deepEqual(patchBody(link, { ...draft, split: [{ ...side, weight: '40' }] }, ZONE), { slug: 'a', split: [{ url: 'https://b.example/', weight: 40, colour: 'red' }] });
});

test('what depends on a member goes with it', () => {
  const draft = draftOf(link, ZONE);
  assert.deepEqual(patchBody(link, { ...draft, starts: '', split: [] }, ZONE), { slug: 'a', startsAt: null, startUrl: null, split: null, splitUntil: null });
  assert.deepEqual(sentWhen(withoutKind({ weekday: ['mon'], country: ['DE'], timeZone: ZONE }, 'weekday')), { country: ['DE'] });
  assert.deepEqual(sentWhen({ from: '2026-12-01', timeZone: ZONE }), { from: '2026-12-01', timeZone: ZONE });
  assert.deepEqual(sentWhen({ from: 5, timeZone: ZONE }), { from: 5 });
});

test('the body of the form is that of a new link or of a change', () => {
  assert.deepEqual(bodyOf(undefined, emptyDraft('example.com'), ZONE), { url: 'https://example.com' });
  assert.deepEqual(bodyOf(link, { ...draftOf(link, ZONE), disabled: true }, ZONE), { slug: 'a', disabled: true });
  assert.equal(createBody({ ...emptyDraft('https://example.com/'), maxVisits: '1' }, ZONE).maxVisits, 1);
});

test('conditions are read in every form that answers have, and no other is taken for one', () => {
  assert.deepEqual(listOf('country', ['DE', 'AT']), { values: ['DE', 'AT'], not: false });
  assert.deepEqual(listOf('country', { not: ['US'] }), { values: ['US'], not: true });
  for (const [kind, value] of /** @type {[string, any][]} */ ([['device', ['ios']], ['bot', false], ['from', 5], ['until', '2026-12-24'], ['query', { a: true, b: '' }], ['hours', ['22:00-06:00']]])) assert.ok(isShown(kind, value), kind);
  for (const [kind, value] of /** @type {[string, any][]} */ ([['moon', true], ['device', ['watch']], ['city', ['Washington, D.C.']], ['country', { in: ['DE'] }], ['bot', 'yes'], ['from', 'soon'], ['query', { a: 5 }]])) assert.ok(!isShown(kind, value), kind);
  assert.deepEqual(kindsOf({ moon: 1, timeZone: 'UTC', country: [] }), ['moon', 'country']);
  assert.deepEqual(valuesIn(' DE,, AT ,'), ['DE', 'AT']);
});

test('a condition on clocks begins with those of the reader', () => {
  assert.deepEqual(withKind({}, 'weekday', ZONE), { weekday: [], timeZone: ZONE });
  assert.deepEqual(withKind({ timeZone: 'Asia/Tokyo' }, 'hours', ZONE), { timeZone: 'Asia/Tokyo', hours: [] });
  assert.deepEqual(withKind({}, 'country', ZONE), { country: [] });
});

test('rules move by one place and not off their ends', () => {
  assert.deepEqual([moved([1, 2, 3], 0, 1), moved([1, 2, 3], 2, -1), moved([1, 2, 3], 0, -1), moved([1, 2, 3], 2, 1)], [[2, 1, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3]]);
});

test('a status follows from the members as the server decides it', () => {
  const now = 100;
  assert.equal(statusOf({}, now), 'active');
  assert.equal(statusOf({ startsAt: 101 }, now), 'scheduled');
  assert.equal(statusOf({ startsAt: 100 }, now), 'active');
  assert.equal(statusOf({ startsAt: 101, maxVisits: 1, visitsLeft: 0 }, now), 'used-up');
  assert.equal(statusOf({ expiration: 100, maxVisits: 1, visitsLeft: 0 }, now), 'expired');
  assert.equal(statusOf({ disabled: true, expiration: 100 }, now), 'disabled');
  assert.equal(statusOf({ status: 'expired', disabled: true }, now), 'expired');
});

test('a fault is found at its path', () => {
  const error = new ApiError(400, '', '', [{ path: ['rules', '1', 'when', 'country', '0'], message: 'no', expected: '' }]);
  assert.equal(error.issueAt('rules.1.when.country', true), 'no');
  assert.deepEqual([error.issueAt('rules.1.when.country'), error.issueAt('rules.1.url'), error.issueAt('rules.11', true), error.issueOf('rules')], [undefined, undefined, undefined, 'no']);
});
