// A property's values with the most visits; each is a filter.
import { metrics } from '../api.js';
import { keyOf } from '../links/key.js';
import { useLoaded } from '../load.js';
import { IconButton, TextInput } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { Estimate } from '../parts/estimate.js';
import { Flag } from '../parts/flag.js';
import { Icon } from '../parts/icon.js';
import { ErrorNote } from '../parts/notes.js';
import { save } from '../parts/save.js';
import { domainName, several } from '../state/domains.js';
import { writeCsv } from '../text/csv.js';
import { html, useMemo, useState } from '../view.js';
import { figures, say, tag } from '../words.js';
import { WorldMap } from './map.js';
import { valueName } from './value-name.js';

/** @typedef {import('./dimensions.js').Dimension} Dimension */
/** @typedef {{ name: string, count: number }} Row */
/** @typedef {import('../api.js').Schemas['SamplingView']} Sampling */
/** @typedef {(type: string, value: string, excluded?: boolean) => void} Toggle */

const SHOWN = 9;

/** Rows below the map, where it leaves room for them: on a phone. */
const BELOW_MAP = 4;

/** The name of the last row of a file, written like `(none)`, which is a value of no visit. */
const OTHERS = '(others)';

/**
 * @param {{ panel: typeof import('./dimensions.js').PANELS[number], asked: Record<string, string | number>, filters: import('./question.js').Filters, onToggle: Toggle }} props
 */
export function Panel({ panel, asked, filters, onToggle }) {
  const [tab, setTab] = useState(panel.tabs[0]?.type ?? '');
  const [all, setAll] = useState(false);
  const onMap = tab === 'map';
  const shownTabs = panel.tabs.filter((one) => several.value || !one.several);
  const dimension = shownTabs.find(({ type }) => type === tab) ?? /** @type {Dimension} */ (shownTabs[0]);
  const { type } = dimension;
  const question = { ...asked, type, limit: 500 };
  const loaded = useLoaded(JSON.stringify(question), (signal) => metrics(question, signal).then(({ data, others, sampling }) => ({ question, type, rows: data.map(named), others, sampling })));
  // Visits first: to count visitors takes ten times as long and more. So these are of the rows that are there.
  const shown = dimension.single ? undefined : loaded.data?.question;
  const key = shown ? JSON.stringify(shown) : '';
  const counted = useLoaded(key, async (signal) => ({ key, ...await metrics({ ...shown, visitors: 'true' }, signal) }));
  const people = counted.data?.key === key ? counted.data : undefined;
  const visitors = useMemo(() => new Map(people?.data.map(named).map(({ name, visitors: n }) => [name, n])), [people]);
  const rows = loaded.data?.type === type ? loaded.data.rows : [];
  const fresh = loaded.data?.type === type;
  const beyond = fresh ? loaded.data?.others ?? 0 : 0;
  const chosen = filters[type] && !filters[type].excluded ? filters[type].values : [];
  const unknownOnly = fresh && rows.length > 0 && rows.every(({ name }) => name === '');
  const tabs = /** @type {[string, string][]} */ ([...shownTabs.map((one) => [one.type, say(one.word)]), ...(panel.map ? [['map', say('map')]] : [])]);
  const visits = beyond + sum(rows);
  const table = { rows, of: visits, dimension, visitors, chosen, visits, sampling: people?.sampling ?? loaded.data?.sampling, onToggle };
  /** @type {(string | number)[][]} */
  const left = beyond > 0 ? [[OTHERS, beyond]] : [];
  const csv = () => save(`${type}.csv`, 'text/csv', writeCsv(dimension.single ? [[type, 'visits'], ...rows.map(({ name, count }) => [name, count]), ...left] : [[type, 'visits', 'visitors'], ...rows.map(({ name, count }) => [name, count, visitors.get(name)]), ...left]));
  return html`<section class="card panel-card" data-panel=${panel.name}>
    <header class="card-head"><div class="tabs" role="tablist" aria-label=${say(panel.word ?? panel.tabs[0]?.word ?? 'value')}>${tabs.map(([name, text]) => html`<button key=${name} type="button" role="tab" id=${`tab-${name}`} aria-selected=${name === tab} tabindex=${name === tab ? 0 : -1} onClick=${() => setTab(name)} onKeyDown=${(/** @type {KeyboardEvent} */ event) => moveTab(event)}>${text}</button>`)}</div>
      <${IconButton} icon="down" label=${say('downloadCsv')} disabled=${rows.length === 0 || counted.loading} onClick=${csv} /></header>
    <div class="card-body ${loaded.loading && fresh ? 'stale' : ''}" role="tabpanel" aria-labelledby=${`tab-${tab}`}>
      ${loaded.error ? html`<${ErrorNote} error=${loaded.error} again=${loaded.again} />`
        : onMap ? html`<${WorldMap} asked=${asked} rows=${rows} visitors=${visitors} chosen=${chosen} onToggle=${onToggle} /><div class="map-table"><${Rows} ...${table} rows=${rows.slice(0, BELOW_MAP)} /></div>`
          : html`<${Rows} ...${table} rows=${rows.slice(0, SHOWN)} />`}
      ${fresh && rows.length === 0 && !loaded.loading && !onMap && html`<p class="panel-none">${say('emptyHere')}</p>`}
      ${unknownOnly && panel.map && !onMap && html`<p class="panel-cause">${say('emptyPlaces')}</p>`}
    </div>
    ${rows.length > SHOWN && !onMap && html`<footer class="card-foot"><button type="button" class="text-button" onClick=${() => setAll(true)}>${say('listAll')} (${figures.value.full(rows.length)})</button></footer>`}
    ${all && html`<${AllRows} table=${table} onClose=${() => setAll(false)} />`}
  </section>`;
}

/** Rows of links are named by their keys. @template {{ name: string, domain?: string }} T @param {T} row @returns {T} */
const named = (row) => (row.domain ? { ...row, name: keyOf({ slug: row.name, domain: row.domain }) } : row);

/** The text for a value that is empty. @param {string} type */
const nameOfNone = (type) => (type === 'domain' ? domainName('') : say('unknown'));

/** @param {Row[]} rows */
const sum = (rows) => rows.reduce((all, { count }) => all + count, 0);

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

/** @typedef {{ rows: Row[], of?: number, dimension: Dimension, visitors: Map<string, number | undefined>, chosen: string[], visits: number, sampling: Sampling | undefined, onToggle: Toggle }} Table */

/**
 * Each value is a filter: a click shows only it, Alt-click or the button beside it leaves it out. `of` is
 * the number of all visits; those of no row are others, and come last.
 * @param {Table} props
 */
function Rows({ rows, of = 0, dimension, visitors, chosen, visits, sampling, onToggle }) {
  const { type, filter: clickable, single } = dimension;
  const others = of - sum(rows);
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const number = (/** @type {string} */ name, /** @type {import('../words.js').Word} */ word, /** @type {number | undefined} */ value) => html`<span class=${name}>${value === undefined ? '–' : figures.value.full(value)}</span><span class="off-screen">${say(word)}</span>`;
  return html`<div class="value-table ${single ? 'single' : ''}">
    ${rows.length > 0 && html`<div class="value-head"><span>${sampling && !sampling.exact && html`<${Estimate} sampling=${sampling} />`}</span>${!single && html`<span aria-hidden="true">${say('visitors')}</span>`}<span aria-hidden="true">${say('visits')}</span><span></span></div>`}
    <ul class="values">${rows.map(({ name, count }) => {
      const text = valueName(type, name, tag.value, nameOfNone(type));
      const out = say('leaveOut', { value: text });
      const inner = html`<span class="value-bar" style=${{ width: `${(count / most * 100).toFixed(2)}%` }}></span><span class="value-name ${type === 'slug' ? 'mono' : ''} ${name === '' && type !== 'domain' ? 'none' : ''}" title=${text}>${type === 'country' && html`<${Flag} code=${name} />`}${text}</span>${!single && number('value-visitors', 'visitors', visitors.get(name))}${number('value-count', 'visits', count)}<span class="value-share">${figures.value.share(count, visits)}</span>`;
      return html`<li key=${name} class=${chosen.includes(name) ? 'on' : ''}>${clickable ? html`<button type="button" aria-pressed=${chosen.includes(name)} title=${say('filterBy', { value: text })} onClick=${(/** @type {MouseEvent} */ event) => onToggle(type, name, event.altKey)}>${inner}</button><button type="button" class="value-out" aria-label=${out} title=${out} onClick=${() => onToggle(type, name, true)}><${Icon} name="out" /></button>` : html`<div>${inner}</div>`}</li>`;
    })}${others > 0 && html`<li class="others" title=${say('othersText')}><div><span class="value-name none">${say('others')}</span>${!single && html`<span></span>`}${number('value-count', 'visits', others)}<span class="value-share">${figures.value.share(others, visits)}</span></div></li>`}</ul></div>`;
}

/** @param {{ table: Table, onClose: () => void }} props */
function AllRows({ table, onClose }) {
  const { rows, dimension } = table;
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = rows.filter(({ name }) => valueName(dimension.type, name, tag.value, nameOfNone(dimension.type)).toLowerCase().includes(wanted));
  return html`<${Dialog} title=${say(dimension.word)} class="all-values" onClose=${onClose}>
    <${TextInput} id="all-search" type="search" autofocus aria-label=${say('searchValues')} placeholder=${say('searchValues')} autocomplete="off" value=${text} onInput=${setText} />
    <${Rows} ...${table} rows=${found} of=${wanted ? 0 : table.of} />${found.length === 0 && html`<p>${say('emptyHere')}</p>`}<//>`;
}
