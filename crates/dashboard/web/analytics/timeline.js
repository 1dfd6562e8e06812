// Visits over time: all of them with their visitors and the earlier period, or a
// line for each of a few links.
import { metrics, views } from '../api.js';
import { keyOf, shownKey } from '../links/key.js';
import { useLoaded } from '../load.js';
import { IconButton, Segments } from '../parts/controls.js';
import { Empty, ErrorNote } from '../parts/notes.js';
import { save } from '../parts/save.js';
import { writeCsv } from '../text/csv.js';
import { marginOf } from '../text/number.js';
import { filled } from '../time/fill.js';
import { possibleUnits } from '../time/range.js';
import { html, useState } from '../view.js';
import { figures, say } from '../words.js';
import { Chart, withMargin } from './chart.js';
import { MOST_LINES, comparable } from './comparable.js';
import { apiQuery } from './question.js';

/** @typedef {import('../time/fill.js').Bucket} Bucket */
/** @typedef {import('./chart.js').Line} Line */

/** @type {Record<string, import('../words.js').Word>} */
const COMPARISON_WORDS = { previous: 'comparePrevious', weekday: 'compareWeekday', year: 'compareYear' };

/**
 * @param {{ question: import('./question.js').Question, earlier: import('../time/range.js').Range | undefined, now: number, onZoom: (name: string) => void, onUnit: (unit: string) => void, onSum: (sum: boolean) => void }} props
 */
export function Timeline({ question, earlier, now, onZoom, onUnit, onSum }) {
  const { range, unit, zone, filters, bots, lines: slugs } = question;
  const [asTable, setAsTable] = useState(false);
  const load = (/** @type {import('../time/range.js').Range} */ span, /** @type {AbortSignal} */ signal, /** @type {string} */ slug = '') => views({ ...apiQuery(question, span), ...(slug ? { slug } : {}), unit, clientTimezone: zone }, signal)
    .then(({ data }) => filled(data, span, unit, zone));
  const past = slugs.length === 0 ? earlier : undefined;
  // Buckets do not add up to visitors: one may come in several of them.
  const visitorsOf = async (/** @type {AbortSignal} */ signal) => {
    const { data } = await metrics({ ...apiQuery(question, range), type: 'slug', visitors: 'true', limit: slugs.length }, signal);
    return new Map(data.map((row) => [keyOf({ slug: row.name, domain: row.domain }), row.visitors ?? 0]));
  };
  const shown = useLoaded(JSON.stringify([filters, bots, range, unit, zone, past, slugs]), async (signal) => {
    const loads = slugs.length > 0 ? slugs.map((slug) => load(range, signal, slug)) : [load(range, signal), ...(past ? [load(past, signal)] : [])];
    // Both at once, so that an abort rejects no promise that nobody awaits yet.
    const [all, visitors] = await Promise.all([Promise.all(loads), slugs.length > 0 ? visitorsOf(signal) : undefined]);
    return { unit, slugs, past, all, visitors };
  });
  const { times, lines } = linesOf(shown.data, question.compare);
  const units = possibleUnits(range);
  const columns = columnsOf(lines);
  const csv = () => save('visits.csv', 'text/csv', writeCsv([['time', ...columns.map(({ title }) => title)], ...times.map((time, at) => [time, ...columns.map(({ values }) => values[at] ?? 0)])]));
  const estimated = slugs.length === 0 && lines[0]?.margins?.some((margin) => margin > 0);
  const empty = !shown.loading && columns.every(({ values }) => values.every((value) => value === 0));
  return html`<section class="card timeline">
    <header class="card-head"><h2>${say('visits')}</h2><span class="legend">${lines.map(({ kind, name, values, people }) => html`<span key=${kind} class="legend-line"><i class="key ${kind}"></i>${name}${people !== undefined && html`<b>${figures.value.full(values.reduce((a, b) => a + b, 0))}</b><span class="legend-people">${say('visitorCount', { n: people })}</span>`}</span>`)}${estimated && html`<span class="legend-line"><i class="key band-key"></i>${say('margin')}</span>`}
      ${question.slugs.length > MOST_LINES && html`<span class="hint">${say('compareLimit', { n: MOST_LINES })}</span>`}</span>
      ${comparable(question.slugs) && html`<${Segments} label=${say('compare')} value=${slugs.length > 0 ? 'each' : 'sum'} onChange=${(/** @type {string} */ how) => onSum(how === 'sum')} options=${[['each', say('eachLink')], ['sum', say('together')]]} />`}
      ${units.length > 1 && html`<${Segments} label=${say('unit')} value=${unit} onChange=${onUnit} options=${units.map((name) => [name, say(name === 'minute' ? 'byMinute' : name === 'hour' ? 'byHour' : 'byDay')])} />`}
      <${IconButton} icon="table" label=${say('table')} pressed=${asTable} onClick=${() => setAsTable(!asTable)} />
      <${IconButton} icon="down" label=${say('downloadCsv')} onClick=${csv} /></header>
    ${shown.error ? html`<${ErrorNote} error=${shown.error} again=${shown.again} />`
      : asTable ? html`<${Twin} times=${times} columns=${columns} />`
        : html`<div class="chart-box ${shown.loading && shown.data ? 'stale' : ''}">${shown.data && html`<${Chart} times=${times} lines=${lines} area=${shown.data.slugs.length === 0} unit=${shown.data.unit} zone=${zone} now=${now} onZoom=${onZoom} />`}
        ${empty && html`<div class="chart-empty"><${Empty} icon="bars" title=${say('noVisits')} text=${say('noVisitsText')} /></div>`}</div>`}
  </section>`;
}

/**
 * What was loaded, as lines.
 * @param {{ all: Bucket[][], slugs: string[], past: object | undefined, visitors: Map<string, number> | undefined } | undefined} loaded @param {string} comparison
 * @returns {{ times: string[], lines: Line[] }}
 */
function linesOf(loaded, comparison) {
  const { all = [], slugs = [], past, visitors: counted } = loaded ?? {};
  const [main = [], before = []] = all;
  const visits = (/** @type {Bucket[]} */ buckets) => buckets.map((bucket) => bucket.visits);
  const margins = (/** @type {(Bucket | undefined)[]} */ buckets, /** @type {'visits' | 'visitors'} */ of) => buckets.map((bucket) => marginOf(bucket?.stdError?.[of]));
  if (slugs.length > 0) {
    // All time begins with the first visit of each, so one may have buckets that another has not.
    const times = [...new Set(all.flat().map(({ time }) => time))].sort();
    const lines = slugs.map((slug, n) => {
      const known = new Map(all[n]?.map((bucket) => [bucket.time, bucket]));
      const values = times.map((time) => known.get(time)?.visits ?? 0);
      const visitors = times.map((time) => known.get(time)?.visitors ?? 0);
      return { kind: `s${n}`, name: shownKey(slug), values, margins: margins(times.map((time) => known.get(time)), 'visits'), visitors, people: counted?.get(slug) ?? 0, counted: true };
    });
    return { times, lines };
  }
  return {
    times: main.map(({ time }) => time),
    lines: [
      { kind: 'visits', name: say('visits'), values: visits(main), margins: margins(main, 'visits'), counted: true },
      { kind: 'visitors', name: say('visitors'), values: main.map(({ visitors }) => visitors), margins: margins(main, 'visitors') },
      ...(past ? [{ kind: 'earlier', name: say(COMPARISON_WORDS[comparison] ?? 'comparePrevious'), values: visits(before), times: before.map(({ time }) => time) }] : []),
    ],
  };
}

/** @typedef {{ kind: string, title: string, name: string, values: number[], margins?: number[] | undefined }} Column Its title in a file, and its name for people. */

/**
 * What the chart shows, in columns; the line of a link has one for visits and one for visitors.
 * @param {Line[]} lines @returns {Column[]}
 */
function columnsOf(lines) {
  return lines.filter(({ times: own }) => !own).flatMap(({ kind, name, values, margins, visitors }) => (visitors ? [
    { kind, title: name.replace(/^\//, ''), name, values, margins },
    { kind: `${kind} visitors`, title: `${name.replace(/^\//, '')} visitors`, name: say('visitors'), values: visitors },
  ] : [{ kind, title: kind, name, values, margins }]));
}

/** The chart in numbers. @param {{ times: string[], columns: Column[] }} props */
function Twin({ times, columns }) {
  return html`<div class="twin" tabindex="0"><table><thead><tr><th>${say('period')}</th>${columns.map(({ kind, name }) => html`<th key=${kind} class="right">${name}</th>`)}</tr></thead>
    <tbody>${times.map((time, at) => html`<tr key=${time}><td>${time}</td>${columns.map(({ kind, values, margins = [] }) => html`<td key=${kind} class="right">${figures.value.full(values[at] ?? 0)}${withMargin(margins[at])}</td>`)}</tr>`)}</tbody></table></div>`;
}
