// Lines over time: one to point at, drag over, and walk along by keys.
import { areaPath, bandPath, linePath, placeAt, xOf, yOf } from '../chart/lines.js';
import { labelled, ticks } from '../chart/scale.js';
import { formatter } from '../text/formatter.js';
import { bucketText, momentOf, read } from '../time/clock.js';
import { namedByDates, namedByMoments } from '../time/range.js';
import { html, useEffect, useRef, useState } from '../view.js';
import { figures, tag } from '../words.js';

/** @typedef {import('../time/range.js').Unit} Unit */
/**
 * @typedef {object} Line
 * @property {string} kind Names its looks.
 * @property {string} name
 * @property {number[]} values
 * @property {number[]} [margins] How far each value is from the true one at most, in 95 of 100 cases; a single line has them as a band.
 * @property {number[]} [visitors] Of each bucket, beside visits.
 * @property {number} [people] The visitors of all buckets together.
 * @property {string[]} [times] Its own buckets, where they are not those of the chart.
 * @property {boolean} [counted] Whether its last value goes on growing while the last bucket is under way.
 */

const HEIGHT = 240;

/** @param {string} time @param {Unit} unit @param {boolean} [long] */
function timeName(time, unit, long = false) {
  const [date = '', clock = ''] = time.split(' ');
  const moment = new Date(`${date}T${clock ? (clock.length === 2 ? `${clock}:00` : clock) : '00:00'}:00Z`);
  /** @type {Intl.DateTimeFormatOptions} */
  const day = long ? { weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' } : { month: 'short', day: 'numeric' };
  /** @type {Intl.DateTimeFormatOptions} */
  const options = unit === 'day' ? day : long ? { ...day, hour: '2-digit', minute: '2-digit' } : clock.startsWith('00') && unit === 'hour' ? day : { hour: '2-digit', minute: '2-digit' };
  return formatter(Intl.DateTimeFormat, tag.value, { ...options, timeZone: 'UTC' }).format(moment);
}

/**
 * The first line is drawn last and leads the pointer; a single one has an area.
 * @param {{ times: string[], lines: Line[], area: boolean, unit: Unit, zone: string, now: number, onZoom: (name: string) => void }} props
 */
export function Chart({ times, lines, area, unit, zone, now, onZoom }) {
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
  const count = times.length;
  const top = ticks(Math.max(1, ...lines.flatMap(({ values, margins = [] }) => values.slice(0, count).map((value, place) => value + (margins[place] ?? 0)))));
  const scaleTop = top[top.length - 1] ?? 1;
  const frame = { width, height: HEIGHT, left: 44, right: 12, top: 12, bottom: 26 };
  const first = lines[0]?.values ?? [];
  const open = count > 1 && times[count - 1] === bucketText(read(now, zone), unit);
  const at = (/** @type {number} */ place, /** @type {number | undefined} */ value) => `${xOf(place, count, frame)} ${yOf(value ?? 0, scaleTop, frame)}`;
  const place = (/** @type {any} */ event) => placeAt(event.clientX - event.currentTarget.getBoundingClientRect().left, count, frame);
  const end = (/** @type {any} */ event) => {
    const to = place(event);
    if (from >= 0 && Math.abs(to - from) > 0) onZoom(zoomName(times, Math.min(from, to), Math.max(from, to), unit, zone));
    setFrom(-1);
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    event.stopPropagation();
    setHover(Math.max(0, Math.min(count - 1, (hover < 0 ? count : hover) + by)));
  };
  const pointed = times[hover];
  const x = hover >= 0 ? xOf(hover, count, frame) : 0;
  const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0);
  const label = lines.filter(({ counted }) => counted).map(({ name, values }) => `${name}: ${figures.value.full(sum(values))}`).join(', ');
  return html`<div class="chart" ref=${box}>${width > 0 && html`
    <svg width=${width} height=${HEIGHT} role="img" tabindex="0" aria-label=${label} onKeyDown=${keys} onBlur=${() => setHover(-1)}
      onPointerMove=${(/** @type {any} */ event) => setHover(place(event))} onPointerLeave=${() => { setHover(-1); setFrom(-1); }}
      onPointerDown=${(/** @type {any} */ event) => { if (event.pointerType === 'mouse') setFrom(place(event)); }} onPointerUp=${end}>
      ${top.map((value) => html`<g key=${value}><line class="grid" x1=${frame.left} x2=${width - frame.right} y1=${Math.round(yOf(value, scaleTop, frame)) + 0.5} y2=${Math.round(yOf(value, scaleTop, frame)) + 0.5} /><text class="tick" x=${frame.left - 8} y=${yOf(value, scaleTop, frame) + 4} text-anchor="end">${figures.value.short(value)}</text></g>`)}
      ${labelled(count, width - frame.left - frame.right, unit === 'day' ? 64 : 60).map((at) => html`<text key=${at} class="tick" x=${xOf(at, count, frame)} y=${HEIGHT - 6} text-anchor=${at === 0 ? 'start' : xOf(at, count, frame) > width - 40 ? 'end' : 'middle'}>${timeName(times[at] ?? '', unit)}</text>`)}
      ${from >= 0 && hover >= 0 && html`<rect class="zoom" x=${Math.min(xOf(from, count, frame), x)} y=${frame.top} width=${Math.abs(x - xOf(from, count, frame))} height=${HEIGHT - frame.top - frame.bottom} />`}
      ${area && html`<path class="area" d=${areaPath(first, scaleTop, frame)} /><path class="band" d=${bandPath(first, lines[0]?.margins ?? [], scaleTop, frame)} />`}
      ${[...lines].reverse().map(({ kind, values, counted }, n) => html`<g key=${`${kind} ${n}`}>
        <path class="line ${kind}" d=${linePath(counted && open ? values.slice(0, -1) : values.slice(0, count), scaleTop, frame, count)} />
        ${counted && open && html`<path class="line ${kind} open" d=${`M${at(count - 2, values[count - 2])}L${at(count - 1, values[count - 1])}`} />`}
        ${counted && count === 1 && html`<circle class="dot ${kind}" cx=${xOf(0, 1, frame)} cy=${yOf(values[0] ?? 0, scaleTop, frame)} r="4" />`}</g>`)}
      ${pointed && html`<line class="cross" x1=${x} x2=${x} y1=${frame.top} y2=${HEIGHT - frame.bottom} />`}
      ${pointed && lines.filter(({ counted }) => counted).map(({ kind, values }) => html`<circle key=${kind} class="dot ${kind}" cx=${x} cy=${yOf(values[hover] ?? 0, scaleTop, frame)} r="4" />`)}
    </svg>
    ${pointed && html`<div class="tip ${x > width / 2 ? 'left' : ''}" style=${{ left: `${x}px` }} role="status"><strong>${timeName(pointed, unit, true)}</strong>
      ${lines.map(({ kind, name, values, margins = [], times: own }) => (values[hover] === undefined ? '' : html`<span key=${kind}><i class="key ${kind}"></i>${own ? timeName(own[hover] ?? '', unit) : name}<b>${figures.value.full(values[hover])}${withMargin(margins[hover])}</b></span>`))}</div>`}`}</div>`;
}

/** What stands behind an estimate. @param {number | undefined} margin */
export const withMargin = (margin) => (margin ? ` ±${figures.value.full(margin)}` : '');

/** @param {string[]} times @param {number} from @param {number} to @param {Unit} unit @param {string} zone */
function zoomName(times, from, to, unit, zone) {
  const [first, last] = [times[from] ?? '', times[to] ?? ''];
  if (unit === 'day') return namedByDates(first, last);
  const moment = (/** @type {string} */ time) => {
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = time.split(/[- :]/).map(Number);
    return momentOf({ year, month, day, hour, minute }, zone);
  };
  return namedByMoments(moment(first), moment(last) + (unit === 'hour' ? 3_599 : 59));
}
