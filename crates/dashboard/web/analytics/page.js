// Who follows links, when, from where and with what.
import { readLink } from '../api.js';
import { looksLikeSlug } from '../links/draft.js';
import { partsOf } from '../links/key.js';
import { useLoaded } from '../load.js';
import { Chip } from '../parts/controls.js';
import { later } from '../parts/later.js';
import { addShortcuts } from '../shortcuts.js';
import { lastBots, lastComparison, lastRange, lastZone } from '../state/choices.js';
import { ALL, DEFAULT } from '../state/domain-choice.js';
import { domain, domainName, several } from '../state/domains.js';
import { change, go, view } from '../state/router.js';
import { may } from '../state/session.js';
import { knowsZone, ownZone } from '../time/clock.js';
import { COMPARISONS, comparedWith, possibleUnits, stepped } from '../time/range.js';
import { html, useEffect, useMemo } from '../view.js';
import { say, tag } from '../words.js';
import { Controls } from './controls.js';
import { Counters } from './counters.js';
import { PANELS, wordOf } from './dimensions.js';
import { Heatmap } from './heatmap.js';
import { Panel } from './panel.js';
import { apiQuery, oneDomain, questionOf, toggled } from './question.js';
import { SplitPanel } from './split-panel.js';
import { Timeline } from './timeline.js';
import { valueName } from './value-name.js';

const LinkHome = later((again) => import('./link-home.js' + again), 'LinkHome');

/** How long "now" stays the same: answers of one view belong together. */
const FRESH_SECONDS = 60;

export function AnalyticsPage() {
  const { query } = view.value;
  const now = Math.floor(Date.now() / 1000 / FRESH_SECONDS) * FRESH_SECONDS + FRESH_SECONDS - 1;
  const otherwise = { zone: lastZone.value || ownZone(), range: lastRange.value, compare: lastComparison.value, bots: lastBots.value, domain: several.value && domain.value !== ALL ? domain.value || DEFAULT : '' };
  const key = JSON.stringify([query, otherwise, now]);
  const question = useMemo(() => questionOf(query, otherwise, knowsZone, now), [key]);
  const { zone, range, compare, filters, bots } = question;
  const earlier = comparedWith(range, compare, zone);
  const asked = apiQuery(question, range);
  const [slug = ''] = question.slugs;
  const one = question.slugs.length === 1 && may('links:read') && looksLikeSlug(partsOf(slug).slug) ? slug : '';
  const found = useLoaded(one, () => readLink(partsOf(one)).then(({ link }) => ({ one, link })));
  const link = found.data?.one === one ? found.data.link : undefined;
  const setRange = (/** @type {string | undefined} */ name) => { if (name) { lastRange.value = name; change({ range: name, unit: undefined }); } };
  const toggle = (/** @type {string} */ type, /** @type {string} */ value, /** @type {boolean} */ excluded = false) => change({ [type]: toggled(filters, type, value, excluded) ?? (type === 'domain' ? ALL : undefined) });
  const clear = () => go('analytics', { range: query.range, zone: query.zone, compare: query.compare, unit: query.unit, bots: query.bots, domain: oneDomain(filters) === undefined ? undefined : query.domain });
  const setCompare = (/** @type {string} */ how) => { lastComparison.value = how; change({ compare: how }); };
  const setBots = (/** @type {string} */ which) => { lastBots.value = which; change({ bots: which || undefined }); };
  const chips = Object.entries(filters).filter(([type]) => type !== 'domain' || oneDomain(filters) === undefined).flatMap(([type, { values, excluded }]) => values.map((value) => ({ type, excluded, value, text: valueName(type, value, tag.value, type === 'domain' ? domainName('') : say('unknown')) })));

  useEffect(() => addShortcuts(/** @type {import('../shortcuts.js').Shortcut[]} */ ([
    ...[['d', 'today', 'rangeToday'], ['e', 'yesterday', 'rangeYesterday'], ['h', '24h', 'range24h'], ['w', '7d', 'range7d'], ['t', '30d', 'range30d'], ['m', 'month', 'rangeMonth'], ['l', '12m', 'range12m']]
      .map(([keys, name, word]) => ({ keys, word, group: 'analytics', run: () => setRange(name) })),
    { keys: 'ArrowLeft', word: 'previousPeriod', group: 'analytics', hidden: true, run: () => setRange(stepped(range, -1, zone, now)) },
    { keys: 'ArrowRight', word: 'nextPeriod', group: 'analytics', hidden: true, run: () => setRange(stepped(range, 1, zone, now)) },
    { keys: 'p', word: 'compareWith', group: 'analytics', run: () => setCompare(COMPARISONS[(COMPARISONS.indexOf(/** @type {any} */ (compare)) + 1) % COMPARISONS.length] ?? 'none') },
    { keys: 'i', word: 'unit', group: 'analytics', run: () => { const units = possibleUnits(range); change({ unit: units[(units.indexOf(question.unit) + 1) % units.length] }); } },
    ...(chips.length > 0 ? [{ keys: 'Escape', word: 'clearFilters', group: 'analytics', run: clear }] : []),
  ])));

  return html`<div class="page analytics">
    <h1 class="off-screen">${say('pageAnalytics')}</h1>
    <${Controls} question=${question} now=${now} onRange=${setRange} onCompare=${setCompare} onZone=${(/** @type {string} */ name) => { lastZone.value = name === ownZone() ? '' : name; change({ zone: name === ownZone() ? undefined : name }); }} onLink=${(/** @type {string} */ slug) => toggle('slug', slug)} onTag=${(/** @type {string} */ name) => change({ tag: name ? toggled({}, 'tag', name) : undefined })} onBots=${setBots} />
    ${chips.length > 0 && html`<div class="chips">${chips.map(({ type, value, excluded, text }) => html`<${Chip} key=${`${type} ${value}`} text=${`${say(wordOf(type) ?? 'value')}: ${excluded ? say('not', { value: text }) : text}`} label=${say('removeFilter')} onRemove=${() => toggle(type, value, excluded)} />`)}
      <button type="button" class="text-button" onClick=${clear}>${say('clearFilters')} <kbd>Esc</kbd></button></div>`}
    ${link && html`<${LinkHome} link=${link} />`}
    <${Counters} asked=${asked} earlier=${earlier && apiQuery(question, earlier)} />
    <${Timeline} question=${question} earlier=${earlier} now=${now} onZoom=${setRange} onUnit=${(/** @type {string} */ unit) => change({ unit })} onSum=${(/** @type {boolean} */ sum) => change({ sum: sum ? '1' : undefined })} />
    ${link?.split?.length && html`<${SplitPanel} key=${one} link=${link} asked=${asked} />`}
    <div class="panels">${PANELS.map((panel) => html`<${Panel} key=${panel.name} panel=${panel} asked=${asked} filters=${filters} onToggle=${toggle} />`)}</div>
    <${Heatmap} asked=${asked} zone=${zone} />
  </div>`;
}
