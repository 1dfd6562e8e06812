// How visitors of a link were shared out between the destinations of its split.
import { metrics } from '../api.js';
import { useLoaded } from '../load.js';
import { Address } from '../parts/address.js';
import { ErrorNote } from '../parts/notes.js';
import { html } from '../view.js';
import { figures, say } from '../words.js';
import { byChance, sidesOf } from './chance.js';

/** Differences that chance makes less often than this are called larger than chance. */
const RARE = 0.05;

/** @param {{ link: import('../api.js').Link, asked: Record<string, string | number> }} props */
export function SplitPanel({ link, asked }) {
  const question = { ...asked, type: 'url', limit: 500, visitors: 'true' };
  const key = JSON.stringify(question);
  const counted = useLoaded(key, (signal) => metrics(question, signal).then((answer) => ({ key, answer })));
  const rows = counted.data?.answer.data ?? [];
  const sides = sidesOf(link, rows);
  const all = sides.reduce((sum, { seen }) => sum + seen, 0);
  const chance = byChance(sides);
  const words = chance === undefined ? say('chanceFew') : say(chance < RARE ? 'chanceRare' : 'chanceUsual', { p: chance < 0.001 ? `< ${figures.value.share(1, 1_000)}` : figures.value.share(chance, 1) });
  return html`<section class="card split-card" aria-labelledby="split-title"><header class="card-head"><h2 id="split-title">${say('split')}</h2></header>
    ${counted.error ? html`<${ErrorNote} error=${counted.error} again=${counted.again} />` : html`
    <div class="split-scroll ${counted.data?.key === key ? '' : 'stale'}"><table><thead><tr><th>${say('destination')}</th><th class="right">${say('weight')}</th><th class="right">${say('share')}</th><th class="right">${say('visitors')}</th><th class="right">${say('visits')}</th></tr></thead>
      <tbody>${sides.map(({ url, weight, seen, visits }) => html`<tr key=${url}><th scope="row" title=${url}><${Address} url=${url} /></th><td>${figures.value.share(weight, 100)}</td><td>${figures.value.share(seen, all) || '–'}</td><td>${figures.value.full(seen)}</td><td>${figures.value.full(visits)}</td></tr>`)}</tbody></table></div>
    ${counted.data?.key === key && html`<p class="split-chance">${words}</p>`}`}</section>`;
}
