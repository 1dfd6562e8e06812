// The three totals above the chart.
import { counters } from '../api.js';
import { useLoaded } from '../load.js';
import { Estimate } from '../parts/estimate.js';
import { Margin } from '../parts/margin.js';
import { ErrorNote } from '../parts/notes.js';
import { changeOf, marginOf } from '../text/number.js';
import { html } from '../view.js';
import { figures, say } from '../words.js';

/** @typedef {Record<string, string | number>} Asked */

/** @param {{ asked: Asked, earlier: Asked | undefined }} props `earlier` asks for what the totals are compared with. */
export function Counters({ asked, earlier: compared }) {
  const totals = useLoaded(JSON.stringify(asked), (signal) => counters(asked, signal));
  const before = useLoaded(compared ? JSON.stringify(compared) : '', (signal) => counters(compared ?? {}, signal));
  if (totals.error) return html`<${ErrorNote} error=${totals.error} again=${totals.again} />`;
  const row = totals.data?.data[0] ?? { visits: 0, visitors: 0, referers: 0 };
  const earlier = before.data?.data[0] ?? (before.data ? { visits: 0, visitors: 0, referers: 0 } : undefined);
  const sampling = totals.data?.sampling;
  /** @type {Record<string, number>} */
  const errors = { ...sampling?.std_error };
  return html`<div class="counters ${totals.loading && totals.data ? 'stale' : ''}" aria-live="polite">
    ${/** @type {const} */ ([['visits', 'visits'], ['visitors', 'visitors'], ['referers', 'referers']]).map(([name, word]) => html`<div key=${name} class="counter" data-counter=${name}><div class="counter-name">${say(word)}</div>
      <div class="counter-value">${totals.data ? figures.value.full(row[name]) : html`<span class="block"></span>`}</div><${Margin} of=${row[name]} margin=${marginOf(errors[name])} />
      ${compared && html`<${Change} now=${row[name]} before=${earlier?.[name]} />`}</div>`)}
    ${sampling && !sampling.exact && html`<${Estimate} sampling=${sampling} />`}
  </div>`;
}

/** @param {{ now: number, before: number | undefined }} props */
function Change({ now, before }) {
  const ratio = before === undefined ? undefined : changeOf(now, before);
  if (ratio === undefined) return html`<div class="change none">${before === undefined ? '' : '–'}</div>`;
  const same = Math.abs(ratio) < 0.005;
  return html`<div class="change ${same ? 'none' : ratio > 0 ? 'more-than' : 'less-than'}" title=${figures.value.full(before ?? 0)}>${same ? '' : ratio > 0 ? '▲ ' : '▼ '}${figures.value.change(ratio)}</div>`;
}
