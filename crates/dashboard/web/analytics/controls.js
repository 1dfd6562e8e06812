// The range, the comparison, the zone and the link of a view.
import { listLinks, listTags, searchLinks } from '../api.js';
import { keyOf, shownKey } from '../links/key.js';
import { useLoaded } from '../load.js';
import { Dialog } from '../parts/dialog.js';
import { Field, IconButton, Segments, Select, TextInput } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { onFirstStir } from '../parts/later.js';
import { domain } from '../state/domains.js';
import { lacking, reason } from '../state/refusal.js';
import { may } from '../state/session.js';
import { formatter } from '../text/formatter.js';
import { bare, middleCut } from '../text/shorten.js';
import { allZones, dateAt, ownZone } from '../time/clock.js';
import { PRESETS, namedByDates, stepped } from '../time/range.js';
import { html, useEffect, useState } from '../view.js';
import { say, tag } from '../words.js';

/** @type {Record<string, import('../words.js').Word>} */
const NAMES = { today: 'rangeToday', yesterday: 'rangeYesterday', '24h': 'range24h', '7d': 'range7d', '30d': 'range30d', month: 'rangeMonth', 'last-month': 'rangeLastMonth', '90d': 'range90d', '12m': 'range12m', all: 'rangeAll' };

/** @param {import('../time/range.js').Range} range @param {string} zone */
export function rangeName(range, zone) {
  const preset = NAMES[range.name];
  if (preset) return say(preset);
  if (range.first && range.last) {
    const format = formatter(Intl.DateTimeFormat, tag.value, { dateStyle: 'medium', timeZone: 'UTC' });
    return format.formatRange(new Date(`${range.first}T00:00:00Z`), new Date(`${range.last}T00:00:00Z`));
  }
  const format = formatter(Intl.DateTimeFormat, tag.value, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', timeZone: zone });
  return format.formatRange(new Date(range.start * 1000), new Date(range.end * 1000));
}

/**
 * @param {{ question: import('./question.js').Question, now: number, onRange: (name: string | undefined) => void, onCompare: (how: string) => void, onZone: (zone: string) => void, onLink: (slug: string) => void, onTag: (tag: string) => void, onBots: (bots: string) => void }} props
 */
export function Controls({ question, now, onRange, onCompare, onZone, onLink, onTag, onBots }) {
  const { range, zone, compare, filters, bots, slugs: links } = question;
  const tags = useLoaded(may('links:read') ? `tags ${domain.value}` : '', (signal) => listTags(domain.value, signal));
  const chosenTag = filters.tag && !filters.tag.excluded ? filters.tag.values[0] ?? '' : '';
  const [dates, setDates] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const free = !NAMES[range.name];
  const [back, next] = [stepped(range, -1, zone, now), stepped(range, 1, zone, now)];
  // Four hundred of them, which nobody chooses from before.
  const [stirred, setStirred] = useState(false);
  useEffect(() => onFirstStir(() => setStirred(true)), []);
  const zones = [...new Set([ownZone(), zone, ...(stirred ? allZones() : [])])];
  return html`<div class="toolbar controls">
    <button type="button" class="button link-choice" onClick=${() => setChoosing(true)}><${Icon} name="link" /><span>${links.length === 0 ? say('allLinks') : links.length === 1 ? shownKey(links[0] ?? '') : say('linkCount', { n: links.length })}</span><${Icon} name="chevron" /></button>
    <${Select} key="tag" label=${say('tag')} class="tag-choice" value=${chosenTag} onChange=${onTag} options=${[['', say('anyTag')], ...[...new Set([...(tags.data ?? []).map(({ name }) => name), ...(chosenTag ? [chosenTag] : [])])].map((name) => [name, name])]} />
    <div class="range">
      <${IconButton} icon="left" label=${say('previousPeriod')} disabled=${!back} onClick=${() => onRange(back)} />
      <${Select} label=${say('period')} value=${free ? 'free' : range.name} onChange=${(/** @type {string} */ name) => (name === 'dates' ? setDates(true) : onRange(name))}
        options=${[...(free ? [/** @type {const} */ (['free', rangeName(range, zone)])] : []), ...PRESETS.map((name) => [name, say(NAMES[name] ?? 'period')]), ['dates', say('customRange')]]} />
      <${IconButton} icon="right" label=${say('nextPeriod')} disabled=${!next} onClick=${() => onRange(next)} />
    </div>
    <${Select} key="compare" label=${say('compareWith')} value=${compare} onChange=${onCompare} options=${[['none', say('compareNone')], ['previous', say('comparePrevious')], ['weekday', say('compareWeekday')], ['year', say('compareYear')]]} />
    <${Segments} label=${say('botsLabel')} value=${bots} onChange=${onBots} options=${[['', say('botsAll')], ['exclude', say('botsPeople')], ['only', say('botsOnly')]]} />
    <${Select} key="zone" label=${say('zone')} class="push zone" value=${zone} onChange=${onZone} options=${zones.map((name) => [name, name.replaceAll('_', ' ')])} />
    ${dates && html`<${DatesDialog} first=${range.first ?? dateAt(range.start || now, zone)} last=${range.last ?? dateAt(range.end, zone)} today=${dateAt(now, zone)} onClose=${() => setDates(false)} onDates=${(/** @type {string} */ name) => { setDates(false); onRange(name); }} />`}
    ${choosing && html`<${LinkDialog} chosen=${links} onToggle=${onLink} onClose=${() => setChoosing(false)} />`}
  </div>`;
}

/** @param {{ first: string, last: string, today: string, onDates: (name: string) => void, onClose: () => void }} props */
function DatesDialog({ first, last, today, onDates, onClose }) {
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(last);
  const right = from && to && from <= to && from <= today;
  const submit = (/** @type {Event} */ event) => { event.preventDefault(); if (right) onDates(namedByDates(from, to)); };
  return html`<${Dialog} title=${say('period')} class="small" onClose=${onClose} footer=${html`<button type="button" class="button" onClick=${onClose}>${say('cancel')}</button><button type="submit" form="dates" class="button primary" disabled=${!right}>${say('done')}</button>`}>
    <form id="dates" class="dates" onSubmit=${submit}>
      <${Field} label=${say('from')} id="from"><${TextInput} id="from" type="date" max=${today} value=${from} onInput=${setFrom} /><//>
      <${Field} label=${say('to')} id="to"><${TextInput} id="to" type="date" value=${to} onInput=${setTo} /><//>
    </form><//>`;
}

/** Links to choose from: without a text those with the most visits. @param {string} q @param {AbortSignal} signal */
const choicesFor = (q, signal) => (q ? searchLinks({ q, limit: 20, status: 'all', domain: domain.value }, signal) : listLinks({ limit: 20, sort: 'visits', domain: domain.value }, signal).then(({ links }) => links));

/** Chooses one link or several. @param {{ chosen: string[], onToggle: (slug: string) => void, onClose: () => void }} props */
function LinkDialog({ chosen, onToggle, onClose }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState(/** @type {{ slug: string, url: string }[]} */ ([]));
  useEffect(() => {
    const q = text.trim();
    const abort = new AbortController();
    const timer = setTimeout(() => { if (may('links:read')) choicesFor(q, abort.signal).then(setFound, () => {}); }, q ? 150 : 0);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [text]);
  const shown = [...chosen.map((key) => ({ key, url: '' })), ...found.map((link) => ({ key: keyOf(link), url: link.url })).filter(({ key }) => !chosen.includes(key))];
  return html`<${Dialog} title=${say('links')} class="small" onClose=${onClose} footer=${html`<button type="button" class="button primary" onClick=${onClose}>${say('done')}</button>`}>
    <${TextInput} id="link-search" type="search" autofocus aria-label=${say('searchLinks')} placeholder=${say('searchLinks')} maxlength="48" autocomplete="off" value=${text} onInput=${setText} />
    <ul class="choices">${shown.map(({ key, url }) => html`<li key=${key}><label class="check"><input type="checkbox" checked=${chosen.includes(key)} onChange=${() => onToggle(key)} /><span class="mono">${shownKey(key)}</span><span class="hint">${middleCut(bare(url), 36)}</span></label></li>`)}
    ${text && found.length === 0 && html`<li class="hint">${reason(lacking('links:read')) || say('nothingFound')}</li>`}</ul><//>`;
}
