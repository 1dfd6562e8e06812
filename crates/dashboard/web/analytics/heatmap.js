// Visits by weekday and hour on the clock of the zone, together or on average.
import { heatmap } from '../api.js';
import { heatSteps, weekGrid } from '../chart/heat.js';
import { useLoaded } from '../load.js';
import { IconButton, Segments } from '../parts/controls.js';
import { ErrorNote } from '../parts/notes.js';
import { save } from '../parts/save.js';
import { lastHeat } from '../state/choices.js';
import { writeCsv } from '../text/csv.js';
import { formatter } from '../text/formatter.js';
import { html, useState } from '../view.js';
import { say, tag } from '../words.js';

const WEEK = 7 * 86_400;

/** @param {{ asked: Record<string, string | number>, zone: string }} props */
export function Heatmap({ asked, zone }) {
  const [place, setPlace] = useState(0);
  const span = Number(asked.endAt) - Number(asked.startAt);
  // A week or less has each hour once, and the hour under way would be an average of minutes.
  const how = lastHeat.value || (span > WEEK ? 'average' : 'total');
  const wanted = { ...asked, clientTimezone: zone, ...(how === 'average' ? { average: 'true' } : {}) };
  const loaded = useLoaded(JSON.stringify(wanted), (signal) => heatmap(wanted, signal).then(({ data }) => ({ rows: data, average: how === 'average' })));
  const { rows = [], average = false } = loaded.data ?? {};
  const grid = weekGrid(rows, average);
  const steps = heatSteps(grid.flat().map(({ visits }) => visits));
  const [long, brief] = [weekdays(tag.value, 'long'), weekdays(tag.value, 'short')];
  const label = (/** @type {number} */ at) => say(average ? 'heatAverageCell' : 'heatCell', { day: long[Math.floor(at / 24)] ?? '', hour: `${String(at % 24).padStart(2, '0')}:00`, ...short(grid[Math.floor(at / 24)]?.[at % 24]) });
  const csv = () => save('heatmap.csv', 'text/csv', writeCsv([average ? ['weekday', 'hour', 'visits per hour', 'visitors per hour'] : ['weekday', 'hour', 'visits', 'visitors'], ...grid.flatMap((hours, weekday) => hours.map(({ visits, visitors }, hour) => [weekday + 1, hour, visits, visitors]))]));
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -24, ArrowDown: 24 }[event.key];
    if (!by || place + by < 0 || place + by >= 168) return;
    event.preventDefault();
    event.stopPropagation();
    setPlace(place + by);
    /** @type {any} */ (event.currentTarget).querySelector(`[data-at="${place + by}"]`)?.focus();
  };
  return html`<section class="card heat"><header class="card-head"><h2>${say('heatmap')}</h2><span class="legend">${zone.replaceAll('_', ' ')}<span class="heat-key" aria-hidden="true">${say('less')}${[0, 1, 2, 3, 4, 5].map((step) => html`<i key=${step} class="h${step}"></i>`)}${say('more')}</span></span>
    <span title=${say('heatAverageHint')}><${Segments} label=${say('heatmap')} value=${how} onChange=${(/** @type {string} */ chosen) => { lastHeat.value = chosen; }} options=${[['average', say('average')], ['total', say('total')]]} /></span>
    <${IconButton} icon="down" label=${say('downloadCsv')} onClick=${csv} /></header>
    ${loaded.error ? html`<${ErrorNote} error=${loaded.error} again=${loaded.again} />` : html`
    <div class="heat-grid ${loaded.loading && loaded.data ? 'stale' : ''}" role="group" aria-label=${say('heatmap')} onKeyDown=${keys}>
      ${loaded.data && html`${grid.map((hours, weekday) => html`<span key=${`day ${weekday}`} class="heat-day" aria-hidden="true">${brief[weekday]}</span>${hours.map(({ visits }, hour) => {
        const at = weekday * 24 + hour;
        const text = label(at);
        return html`<span key=${at} role="img" data-at=${at} tabindex=${at === place ? 0 : -1} class="cell h${steps[at] ?? 0}" aria-label=${text} title=${text} data-visits=${visits} onFocus=${() => setPlace(at)}></span>`;
      })}`)}
      <span></span>${Array.from({ length: 24 }, (_, hour) => html`<span key=${`hour ${hour}`} class="heat-hour" aria-hidden="true">${hour % 3 === 0 ? hour : ''}</span>`)}`}
    </div>`}</section>`;
}

/** The days of a week, from Monday on. @param {string} language @param {'long' | 'short'} weekday */
function weekdays(language, weekday) {
  const format = formatter(Intl.DateTimeFormat, language, { weekday, timeZone: 'UTC' });
  return Array.from({ length: 7 }, (_, day) => format.format(Date.UTC(2024, 0, 1 + day)));
}

/** Averages as people read them. @param {{ visits: number, visitors: number } | undefined} numbers */
function short(numbers) {
  const rounded = (/** @type {number} */ number) => (number < 100 ? Math.round(number * 10) / 10 : Math.round(number));
  return { visits: rounded(numbers?.visits ?? 0), visitors: rounded(numbers?.visitors ?? 0) };
}
