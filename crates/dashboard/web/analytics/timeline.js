// Visits and visitors over time, with the earlier period behind them.
import { views } from '../api.js';
import { areaPath, linePath, placeAt, xOf, yOf } from '../chart/lines.js';
import { labelled, ticks } from '../chart/scale.js';
import { useLoaded } from '../load.js';
import { IconButton, Segments } from '../parts/controls.js';
import { Empty, ErrorNote } from '../parts/notes.js';
import { save } from '../parts/save.js';
import { writeCsv } from '../text/csv.js';
import { bucketText, momentOf, read } from '../time/clock.js';
import { filled } from '../time/fill.js';
import { namedByDates, namedByMoments, possibleUnits } from '../time/range.js';
import { html, useEffect, useRef, useState } from '../view.js';
import { figures, say, tag } from '../words.js';
import { apiQuery } from './question.js';

/** @typedef {import('../time/fill.js').Bucket} Bucket */
/** @typedef {import('../time/range.js').Unit} Unit */

const HEIGHT = 240;

/** @type {Record<string, import('../words.js').Word>} */
const COMPARISON_WORDS = { previous: 'comparePrevious', weekday: 'compareWeekday', year: 'compareYear' };

/**
 * @param {{ question: import('./question.js').Question, earlier: import('../time/range.js').Range | undefined, now: number, onZoom: (name: string) => void, onUnit: (unit: string) => void }} props
 */
export function Timeline({ question, earlier, now, onZoom, onUnit }) {
  const { range, unit, zone, filters } = question;
  const [asTable, setAsTable] = useState(false);
  const load = (/** @type {import('../time/range.js').Range} */ span) => (/** @type {AbortSignal} */ signal) => views({ ...apiQuery(filters, span), unit, clientTimezone: zone }, signal)
    .then(({ data }) => ({ buckets: filled(data, span, unit, zone), unit }));
  const key = JSON.stringify([filters, range, unit, zone]);
  const shown = useLoaded(key, load(range));
  const before = useLoaded(JSON.stringify([filters, earlier, unit, zone]), (signal) => (earlier ? load(earlier)(signal) : Promise.resolve(undefined)));
  const buckets = shown.data?.buckets ?? [];
  const past = earlier ? before.data?.buckets ?? [] : [];
  const units = possibleUnits(range);
  const csv = () => save('visits.csv', 'text/csv', writeCsv([['time', 'visits', 'visitors'], ...buckets.map(({ time, visits, visitors }) => [time, visits, visitors])]));
  const empty = !shown.loading && buckets.every(({ visits }) => visits === 0);
  return html`<section class="card timeline">
    <header class="card-head"><h2>${say('visits')}</h2><span class="legend"><i class="key visits"></i>${say('visits')}<i class="key visitors"></i>${say('visitors')}${earlier && html`<i class="key earlier"></i>${say(COMPARISON_WORDS[question.compare] ?? 'comparePrevious')}`}</span>
      ${units.length > 1 && html`<${Segments} label=${say('unit')} value=${unit} onChange=${onUnit} options=${units.map((name) => [name, say(name === 'minute' ? 'byMinute' : name === 'hour' ? 'byHour' : 'byDay')])} />`}
      <${IconButton} icon="table" label=${say('table')} pressed=${asTable} onClick=${() => setAsTable(!asTable)} />
      <${IconButton} icon="down" label=${say('downloadCsv')} onClick=${csv} /></header>
    ${shown.error ? html`<${ErrorNote} error=${shown.error} again=${shown.again} />`
      : asTable ? html`<${Twin} buckets=${buckets} />`
        : html`<div class="chart-box ${shown.loading && shown.data ? 'stale' : ''}">${shown.data && html`<${Chart} buckets=${buckets} past=${past} unit=${shown.data.unit} zone=${zone} now=${now} onZoom=${onZoom} />`}
        ${empty && html`<div class="chart-empty"><${Empty} icon="bars" title=${say('noVisits')} text=${say('noVisitsText')} /></div>`}</div>`}
  </section>`;
}

/** The chart in numbers. @param {{ buckets: Bucket[] }} props */
function Twin({ buckets }) {
  return html`<div class="twin" tabindex="0"><table><thead><tr><th>${say('period')}</th><th class="right">${say('visits')}</th><th class="right">${say('visitors')}</th></tr></thead>
    <tbody>${buckets.map(({ time, visits, visitors }) => html`<tr key=${time}><td>${time}</td><td class="right">${figures.value.full(visits)}</td><td class="right">${figures.value.full(visitors)}</td></tr>`)}</tbody></table></div>`;
}

/** @param {string} time @param {Unit} unit @param {boolean} [long] */
function timeName(time, unit, long = false) {
  const [date = '', clock = ''] = time.split(' ');
  const moment = new Date(`${date}T${clock ? (clock.length === 2 ? `${clock}:00` : clock) : '00:00'}:00Z`);
  /** @type {Intl.DateTimeFormatOptions} */
  const day = long ? { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' } : { month: 'short', day: 'numeric' };
  /** @type {Intl.DateTimeFormatOptions} */
  const options = unit === 'day' ? day : long ? { ...day, hour: '2-digit', minute: '2-digit' } : clock.startsWith('00') && unit === 'hour' ? day : { hour: '2-digit', minute: '2-digit' };
  return new Intl.DateTimeFormat(tag.value, { ...options, timeZone: 'UTC' }).format(moment);
}

/** @param {{ buckets: Bucket[], past: Bucket[], unit: Unit, zone: string, now: number, onZoom: (name: string) => void }} props */
function Chart({ buckets, past, unit, zone, now, onZoom }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(0);
  const [hover, setHover] = useState(-1);
  const [from, setFrom] = useState(-1);
  useEffect(() => {
    if (!box.current) return undefined;
    // In the next frame: a size must not change while sizes are being told.
    const observer = new ResizeObserver(([entry]) => requestAnimationFrame(() => setWidth(Math.floor(entry?.contentRect.width ?? 0))));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const count = buckets.length;
  const top = ticks(Math.max(1, ...buckets.map(({ visits }) => visits), ...past.slice(0, count).map(({ visits }) => visits)));
  const scaleTop = top[top.length - 1] ?? 1;
  const frame = { width, height: HEIGHT, left: 44, right: 12, top: 12, bottom: 26 };
  const visits = buckets.map((bucket) => bucket.visits);
  const visitors = buckets.map((bucket) => bucket.visitors);
  const open = count > 1 && buckets[count - 1]?.time === bucketText(read(now, zone), unit);
  const solid = open ? visits.slice(0, -1) : visits;
  const place = (/** @type {any} */ event) => placeAt(event.clientX - event.currentTarget.getBoundingClientRect().left, count, frame);
  const end = (/** @type {any} */ event) => {
    const to = place(event);
    if (from >= 0 && Math.abs(to - from) > 0) onZoom(zoomName(buckets, Math.min(from, to), Math.max(from, to), unit, zone));
    setFrom(-1);
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    event.stopPropagation();
    setHover(Math.max(0, Math.min(count - 1, (hover < 0 ? count : hover) + by)));
  };
  const pointed = buckets[hover];
  const x = hover >= 0 ? xOf(hover, count, frame) : 0;
  const sum = visits.reduce((a, b) => a + b, 0);
  return html`<div class="chart" ref=${box}>${width > 0 && html`
    <svg width=${width} height=${HEIGHT} role="img" tabindex="0" aria-label=${`${say('visits')}: ${figures.value.full(sum)}`} onKeyDown=${keys} onBlur=${() => setHover(-1)}
      onPointerMove=${(/** @type {any} */ event) => setHover(place(event))} onPointerLeave=${() => { setHover(-1); setFrom(-1); }}
      onPointerDown=${(/** @type {any} */ event) => { if (event.pointerType === 'mouse') setFrom(place(event)); }} onPointerUp=${end}>
      ${top.map((value) => html`<g key=${value}><line class="grid" x1=${frame.left} x2=${width - frame.right} y1=${Math.round(yOf(value, scaleTop, frame)) + 0.5} y2=${Math.round(yOf(value, scaleTop, frame)) + 0.5} /><text class="tick" x=${frame.left - 8} y=${yOf(value, scaleTop, frame) + 4} text-anchor="end">${figures.value.short(value)}</text></g>`)}
      ${labelled(count, width - frame.left - frame.right, unit === 'day' ? 64 : 60).map((at) => html`<text key=${at} class="tick" x=${xOf(at, count, frame)} y=${HEIGHT - 6} text-anchor=${at === 0 ? 'start' : xOf(at, count, frame) > width - 40 ? 'end' : 'middle'}>${timeName(buckets[at]?.time ?? '', unit)}</text>`)}
      ${from >= 0 && hover >= 0 && html`<rect class="zoom" x=${Math.min(xOf(from, count, frame), x)} y=${frame.top} width=${Math.abs(x - xOf(from, count, frame))} height=${HEIGHT - frame.top - frame.bottom} />`}
      <path class="area" d=${areaPath(visits, scaleTop, frame)} />
      ${past.length > 0 && html`<path class="line earlier" d=${linePath(past.slice(0, count).map((bucket) => bucket.visits), scaleTop, frame, count)} />`}
      <path class="line visitors" d=${linePath(visitors, scaleTop, frame)} />
      <path class="line visits" d=${linePath(solid, scaleTop, frame, count)} />
      ${open && html`<path class="line visits open" d=${`M${xOf(count - 2, count, frame)} ${yOf(visits[count - 2] ?? 0, scaleTop, frame)}L${xOf(count - 1, count, frame)} ${yOf(visits[count - 1] ?? 0, scaleTop, frame)}`} />`}
      ${count === 1 && html`<circle class="dot" cx=${xOf(0, 1, frame)} cy=${yOf(visits[0] ?? 0, scaleTop, frame)} r="4" />`}
      ${pointed && html`<line class="cross" x1=${x} x2=${x} y1=${frame.top} y2=${HEIGHT - frame.bottom} /><circle class="dot" cx=${x} cy=${yOf(pointed.visits, scaleTop, frame)} r="4" />`}
    </svg>
    ${pointed && html`<div class="tip ${x > width / 2 ? 'left' : ''}" style=${{ left: `${x}px` }} role="status"><strong>${timeName(pointed.time, unit, true)}</strong>
      <span><i class="key visits"></i>${say('visits')}<b>${figures.value.full(pointed.visits)}</b></span><span><i class="key visitors"></i>${say('visitors')}<b>${figures.value.full(pointed.visitors)}</b></span>
      ${past[hover] && html`<span><i class="key earlier"></i>${timeName(past[hover]?.time ?? '', unit)}<b>${figures.value.full(past[hover]?.visits ?? 0)}</b></span>`}</div>`}`}</div>`;
}

/** @param {Bucket[]} buckets @param {number} from @param {number} to @param {Unit} unit @param {string} zone */
function zoomName(buckets, from, to, unit, zone) {
  const [first, last] = [buckets[from]?.time ?? '', buckets[to]?.time ?? ''];
  if (unit === 'day') return namedByDates(first, last);
  const moment = (/** @type {string} */ time) => {
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = time.split(/[- :]/).map(Number);
    return momentOf({ year, month, day, hour, minute }, zone);
  };
  return namedByMoments(moment(first), moment(last) + (unit === 'hour' ? 3_599 : 59));
}
