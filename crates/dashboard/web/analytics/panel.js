// A property's values with the most visits; each is a filter.
import { metrics } from '../api.js';
import { useLoaded } from '../load.js';
import { IconButton, TextInput } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { Estimate } from '../parts/estimate.js';
import { Icon } from '../parts/icon.js';
import { ErrorNote } from '../parts/notes.js';
import { save } from '../parts/save.js';
import { writeCsv } from '../text/csv.js';
import { html, useState } from '../view.js';
import { figures, say, tag } from '../words.js';
import { WorldMap } from './map.js';
import { valueName } from './value-name.js';

/** @typedef {import('./dimensions.js').Dimension} Dimension */
/** @typedef {import('../api.js').Schemas['MetricView']} Row */
/** @typedef {import('../api.js').Schemas['SamplingView']} Sampling */
/** @typedef {(type: string, value: string, excluded?: boolean) => void} Toggle */

const SHOWN = 9;

/** Rows below the map, where it leaves room for them: on a phone. */
const BELOW_MAP = 4;

/**
 * @param {{ panel: typeof import('./dimensions.js').PANELS[number], asked: Record<string, string | number>, filters: import('./question.js').Filters, visits: number, onToggle: Toggle }} props
 */
export function Panel({ panel, asked, filters, visits, onToggle }) {
  const [tab, setTab] = useState(panel.tabs[0]?.type ?? '');
  const [all, setAll] = useState(false);
  const onMap = tab === 'map';
  const dimension = panel.tabs.find(({ type }) => type === tab) ?? /** @type {Dimension} */ (panel.tabs[0]);
  const { type } = dimension;
  const loaded = useLoaded(JSON.stringify([type, asked]), (signal) => metrics({ ...asked, type, limit: 500, visitors: dimension.single ? undefined : 'true' }, signal).then(({ data, sampling }) => ({ type, rows: data, sampling })));
  const rows = loaded.data?.type === type ? loaded.data.rows : [];
  const fresh = loaded.data?.type === type;
  const chosen = filters[type] && !filters[type].excluded ? filters[type].values : [];
  const unknownOnly = fresh && rows.length > 0 && rows.every(({ name }) => name === '');
  const tabs = /** @type {[string, string][]} */ ([...panel.tabs.map((one) => [one.type, say(one.word)]), ...(panel.map ? [['map', say('map')]] : [])]);
  const table = { rows, dimension, chosen, visits, sampling: loaded.data?.sampling, onToggle };
  const csv = () => save(`${type}.csv`, 'text/csv', writeCsv(dimension.single ? [[type, 'visits'], ...rows.map(({ name, count }) => [name, count])] : [[type, 'visits', 'visitors'], ...rows.map(({ name, count, visitors }) => [name, count, visitors])]));
  return html`<section class="card panel-card" data-panel=${panel.name}>
    <header class="card-head"><div class="tabs" role="tablist" aria-label=${say(panel.tabs[0]?.word ?? 'value')}>${tabs.map(([name, text]) => html`<button key=${name} type="button" role="tab" id=${`tab-${name}`} aria-selected=${name === tab} tabindex=${name === tab ? 0 : -1} onClick=${() => setTab(name)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => moveTab(event)}>${text}</button>`)}</div>
      <${IconButton} icon="down" label=${say('downloadCsv')} disabled=${rows.length === 0} onClick=${csv} /></header>
    <div class="card-body ${loaded.loading && fresh ? 'stale' : ''}" role="tabpanel" aria-labelledby=${`tab-${tab}`}>
      ${loaded.error ? html`<${ErrorNote} error=${loaded.error} again=${loaded.again} />`
        : onMap ? html`<${WorldMap} asked=${asked} rows=${rows} chosen=${chosen} onToggle=${onToggle} /><div class="map-table"><${Rows} ...${table} rows=${rows.slice(0, BELOW_MAP)} /></div>`
          : html`<${Rows} ...${table} rows=${rows.slice(0, SHOWN)} />`}
      ${fresh && rows.length === 0 && !loaded.loading && !onMap && html`<p class="panel-none">${say('emptyHere')}</p>`}
      ${unknownOnly && panel.map && !onMap && html`<p class="panel-cause">${say('emptyPlaces')}</p>`}
    </div>
    ${rows.length > SHOWN && !onMap && html`<footer class="card-foot"><button type="button" class="text-button" onClick=${() => setAll(true)}>${say('listAll')} (${figures.value.full(rows.length)})</button></footer>`}
    ${all && html`<${AllRows} table=${table} onClose=${() => setAll(false)} />`}
  </section>`;
}

/** @param {KeyboardEvent} event */
function moveTab(event) {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  const tabs = [.../** @type {any} */ (event.currentTarget).parentElement.querySelectorAll('[role=tab]')];
  const next = tabs[(tabs.indexOf(event.currentTarget) + by + tabs.length) % tabs.length];
  next.click();
  next.focus();
}

/** @typedef {{ rows: Row[], dimension: Dimension, chosen: string[], visits: number, sampling: Sampling | undefined, onToggle: Toggle }} Table */

/**
 * Each value is a filter: a click shows only it, Alt-click or the button beside it leaves it out.
 * @param {Table} props
 */
function Rows({ rows, dimension, chosen, visits, sampling, onToggle }) {
  const { type, filter: clickable, single } = dimension;
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const number = (/** @type {string} */ name, /** @type {import('../words.js').Word} */ word, /** @type {number} */ value) => html`<span class=${name}>${figures.value.full(value)}</span><span class="off-screen">${say(word)}</span>`;
  return html`<div class="value-table ${single ? 'single' : ''}">
    ${rows.length > 0 && html`<div class="value-head"><span>${sampling && !sampling.exact && html`<${Estimate} sampling=${sampling} />`}</span>${!single && html`<span aria-hidden="true">${say('visitors')}</span>`}<span aria-hidden="true">${say('visits')}</span><span></span></div>`}
    <ul class="values">${rows.map(({ name, count, visitors }) => {
      const text = valueName(type, name, tag.value, say('unknown'));
      const out = say('leaveOut', { value: text });
      const inner = html`<span class="value-bar" style=${{ width: `${(count / most * 100).toFixed(2)}%` }}></span><span class="value-name ${type === 'slug' ? 'mono' : ''} ${name === '' ? 'none' : ''}" title=${text}>${text}</span>${!single && number('value-visitors', 'visitors', visitors ?? 0)}${number('value-count', 'visits', count)}<span class="value-share">${figures.value.share(count, visits)}</span>`;
      return html`<li key=${name} class=${chosen.includes(name) ? 'on' : ''}>${clickable ? html`<button type="button" aria-pressed=${chosen.includes(name)} title=${say('filterBy', { value: text })} onClick=${(/** @type {MouseEvent} */ event) => onToggle(type, name, event.altKey)}>${inner}</button><button type="button" class="value-out" aria-label=${out} title=${out} onClick=${() => onToggle(type, name, true)}><${Icon} name="out" /></button>` : html`<div>${inner}</div>`}</li>`;
    })}</ul></div>`;
}

/** @param {{ table: Table, onClose: () => void }} props */
function AllRows({ table, onClose }) {
  const { rows, dimension } = table;
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = rows.filter(({ name }) => valueName(dimension.type, name, tag.value, say('unknown')).toLowerCase().includes(wanted));
  return html`<${Dialog} title=${say(dimension.word)} class="all-values" onClose=${onClose}>
    <${TextInput} id="all-search" type="search" autofocus aria-label=${say('searchValues')} placeholder=${say('searchValues')} autocomplete="off" value=${text} onInput=${setText} />
    <${Rows} ...${table} rows=${found} />${found.length === 0 && html`<p>${say('emptyHere')}</p>`}<//>`;
}
