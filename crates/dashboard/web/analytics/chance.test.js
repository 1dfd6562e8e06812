import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byChance, sidesOf } from './chance.js';

/** @param {number[]} seen @param {number[]} weights */
const chance = (seen, weights) => byChance(seen.map((n, at) => ({ seen: n, weight: weights[at] ?? 0 })));

test('chances are those of tables of chi-squared', () => {
  for (const [seen, weights, expected] of /** @type {[number[], number[], number][]} */ ([
    [[60, 40], [50, 50], 0.0455], [[40, 60], [50, 50], 0.0455], [[55, 45], [50, 50], 0.3173],
    [[40, 25, 25], [100 / 3, 100 / 3, 100 / 3], 0.0821], [[30, 20, 25, 45], [25, 25, 25, 25], 0.0086], [[10, 20, 15, 18, 22], [20, 20, 20, 20, 20], 0.2697],
  ])) assert.ok(Math.abs((chance(seen, weights) ?? 2) - expected) < 0.0001, `${seen}: ${chance(seen, weights)}`);
});

test('what fits the weights is chance, and what is far from them is not', () => {
  assert.ok((chance([700, 300], [70, 30]) ?? 0) > 0.999);
  assert.ok((chance([900, 100], [70, 30]) ?? 1) < 1e-6);
});

test('few visitors and one side alone say nothing', () => {
  assert.equal(chance([9, 0], [50, 50]), undefined);
  assert.equal(chance([100], [100]), undefined);
  assert.equal(chance([], []), undefined);
  assert.equal(chance([100, 3], [100, 0]), undefined);
});

test('sides are those of the split and then the rest, and the same destination is one side', () => {
  const link = { url: 'https://a.example/', split: [{ url: 'https://b.example/', weight: 30 }, { url: 'https://a.example/', weight: 10 }] };
  const rows = [{ name: 'https://a.example/', count: 8, visitors: 6 }, { name: 'https://old.example/', count: 5, visitors: 5 }];
  assert.deepEqual(sidesOf(link, rows), [{ url: 'https://b.example/', weight: 30, visits: 0, seen: 0 }, { url: 'https://a.example/', weight: 70, visits: 8, seen: 6 }]);
});
