// Visits by weekday and hour on the clock of the zone.
import { heatmap } from '../api.js';
import { heatSteps, weekGrid } from '../chart/heat.js';
import { useLoaded } from '../load.js';
import { IconButton } from '../parts/controls.js';
import { ErrorNote } from '../parts/notes.js';
import { save } from '../parts/save.js';
import { writeCsv } from '../text/csv.js';
import { html, useState } from '../view.js';
import { figures, say, tag } from '../words.js';

/** @param {{ asked: Record<string, string | number>, zone: string }} props */
export function Heatmap({ asked, zone }) {
  const [place, setPlace] = useState(0);
  const loaded = useLoaded(JSON.stringify([asked, zone]), (signal) => heatmap({ ...asked, clientTimezone: zone }, signal).then(({ data }) => data));
  const grid = weekGrid(loaded.data ?? []);
  const steps = heatSteps(grid.flat().map(({ visits }) => visits));
  const day = (/** @type {number} */ weekday, /** @type {'long' | 'short'} */ length) => new Intl.DateTimeFormat(tag.value, { weekday: length, timeZone: 'UTC' }).format(new Date(Date.UTC(2024, 0, 1 + weekday)));
  const label = (/** @type {number} */ at) => say('heatCell', { day: day(Math.floor(at / 24), 'long'), hour: `${String(at % 24).padStart(2, '0')}:00`, visits: 0, visitors: 0, ...grid[Math.floor(at / 24)]?.[at % 24] });
  const csv = () => save('heatmap.csv', 'text/csv', writeCsv([['weekday', 'hour', 'visits', 'visitors'], ...grid.flatMap((hours, weekday) => hours.map(({ visits, visitors }, hour) => [weekday + 1, hour, visits, visitors]))]));
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -24, ArrowDown: 24 }[event.key];
    if (!by || place + by < 0 || place + by >= 168) return;
    event.preventDefault();
    event.stopPropagation();
    setPlace(place + by);
    /** @type {any} */ (event.currentTarget).querySelector(`[data-at="${place + by}"]`)?.focus();
  };
  return html`<section class="card heat"><header class="card-head"><h2>${say('heatmap')}</h2><span class="legend">${zone.replaceAll('_', ' ')}<span class="heat-key" aria-hidden="true">${say('less')}${[0, 1, 2, 3, 4, 5].map((step) => html`<i key=${step} class="h${step}"></i>`)}${say('more')}</span></span>
    <${IconButton} icon="down" label=${say('downloadCsv')} onClick=${csv} /></header>
    ${loaded.error ? html`<${ErrorNote} error=${loaded.error} again=${loaded.again} />` : html`
    <div class="heat-grid ${loaded.loading && loaded.data ? 'stale' : ''}" role="group" aria-label=${say('heatmap')} onKeyDown=${keys}>
      ${grid.map((hours, weekday) => html`<span key=${`day ${weekday}`} class="heat-day" aria-hidden="true">${day(weekday, 'short')}</span>${hours.map(({ visits }, hour) => {
        const at = weekday * 24 + hour;
        return html`<span key=${at} role="img" data-at=${at} tabindex=${at === place ? 0 : -1} class="cell h${steps[at] ?? 0}" aria-label=${label(at)} title=${label(at)} data-visits=${figures.value.full(visits)} onFocus=${() => setPlace(at)}></span>`;
      })}`)}
      <span></span>${Array.from({ length: 24 }, (_, hour) => html`<span key=${`hour ${hour}`} class="heat-hour" aria-hidden="true">${hour % 3 === 0 ? hour : ''}</span>`)}
    </div>`}</section>`;
}
