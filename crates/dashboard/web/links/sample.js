// How the page looks once links are followed: an instance without links shows it,
// so that nobody has to imagine it.
import { areaPath, linePath } from '../chart/lines.js';
import { html } from '../view.js';
import { figures, say } from '../words.js';

/** A month that nobody counted. */
const VISITS = [18, 24, 22, 31, 28, 16, 14, 30, 41, 38, 52, 47, 29, 25, 49, 66, 61, 74, 68, 44, 39, 70, 92, 86, 104, 97, 63, 58, 95, 118];
const ROWS = /** @type {const} */ ([['spring', 'shop.example.com/collections/spring', 1_204], ['docs', 'docs.example.com/start', 431], ['keynote', 'events.example.org/2026/keynote', 87]]);
const FRAME = { width: 600, height: 132, left: 0, right: 0, top: 8, bottom: 0 };
const TOP = 125;

export function Sample() {
  return html`<figure class="sample" aria-hidden="true"><figcaption>${say('example')}</figcaption>
    <svg viewBox="0 0 ${FRAME.width} ${FRAME.height}" preserveAspectRatio="none">${[1, 2, 3].map((line) => html`<line key=${line} class="grid" x1="0" x2=${FRAME.width} y1=${line * 33} y2=${line * 33} vector-effect="non-scaling-stroke" />`)}
      <path class="area" d=${areaPath(VISITS, TOP, FRAME)} /><path class="line" d=${linePath(VISITS, TOP, FRAME)} vector-effect="non-scaling-stroke" /></svg>
    <ul>${ROWS.map(([slug, url, visits]) => html`<li key=${slug}><span class="mono">/${slug}</span><span class="sample-url">${url}</span><span>${figures.value.full(visits)}</span></li>`)}</ul></figure>`;
}
