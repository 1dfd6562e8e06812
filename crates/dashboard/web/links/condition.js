// One condition of a rule: its value, with a field that fits its kind.
import { Check, IconButton, Select, TextInput } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { citiesKnown, countriesKnown } from '../state/places.js';
import { countriesByName, countryName } from '../text/country.js';
import { knowsZone } from '../time/clock.js';
import { html, useRef, useState } from '../view.js';
import { say, tag } from '../words.js';
import { KINDS, asList, isCity, isCountry, isShown, listOf, valuesIn } from './conditions.js';
import { fieldOf, momentOfField } from './draft.js';

/** @typedef {{ id: string, kind: string, value: any, label: string, zone: string, error: string | undefined, onChange: (value: any) => void }} Given */

/** @param {Given & { onRemove: () => void }} props */
export function Condition({ onRemove, ...given }) {
  const { id, kind, value, error } = given;
  const known = KINDS[kind];
  const label = known ? say(known.word) : kind;
  const list = listOf(kind, value);
  const shown = isShown(kind, value);
  const turns = shown && list && (known?.shape === 'list' || known?.shape === 'choice');
  const part = { ...given, label };
  return html`<div class="condition field ${error ? 'has-error' : ''}" role="group" aria-label=${label} data-kind=${kind}>
    <div class="condition-head"><span class="label">${label}</span>
      ${turns && html`<${Select} label=${say('comparison')} value=${list.not ? 'not' : ''} onChange=${(/** @type {string} */ not) => given.onChange(asList(list.values, not === 'not'))} options=${[['', say('oneOf')], ['not', say('noneOf')]]} />`}
      <${IconButton} icon="close" class="push" label=${say('removeCondition', { value: label })} onClick=${onRemove} /></div>
    ${!shown ? html`<code class="kept">${JSON.stringify(value)}</code><div class="hint">${say('keptAsItIs')}</div>`
      : known?.shape === 'choice' ? html`<${Choice} ...${part} />` : known?.shape === 'list' ? html`<${List} ...${part} />`
        : known?.shape === 'bound' ? html`<${Bound} ...${part} />` : known?.shape === 'parameters' ? html`<${Parameters} ...${part} />`
          : html`<${Select} label=${label} value=${String(value)} onChange=${(/** @type {string} */ next) => given.onChange(next === 'true')} options=${[['true', say('yes')], ['false', say('no')]]} />`}
    ${((isCountry(kind) && !countriesKnown.value) || (isCity(kind) && !citiesKnown.value)) && html`<div class="hint warn-text">${say('emptyPlaces')}</div>`}
    ${error && html`<div class="field-error" id="${id}-error" role="alert">${error}</div>`}</div>`;
}

/** @param {Given} props */
function Choice({ kind, value, onChange }) {
  const { values, not } = listOf(kind, value) ?? { values: [], not: false };
  const all = KINDS[kind]?.values ?? [];
  return html`<div class="choice-grid">${all.map((one) => html`<${Check} key=${one} label=${nameOf(kind, one)} checked=${values.includes(one)}
    onChange=${(/** @type {boolean} */ on) => onChange(asList(all.filter((other) => (other === one ? on : values.includes(other))), not))} />`)}</div>`;
}

/** Keeps what is typed, commas at the end too, as long as it means the value. @param {Given} props */
function List({ id, kind, value, label, error, onChange }) {
  const { values, not } = listOf(kind, value) ?? { values: [], not: false };
  const [text, setText] = useState(values.join(', '));
  const shown = valuesIn(text).join() === values.join() ? text : values.join(', ');
  const type = (/** @type {string} */ next) => { setText(next); onChange(asList(valuesIn(next), not)); };
  const names = kind === 'country' ? values.filter((code) => /^[a-z]{2}$/i.test(code)).map((code) => countryName(code.toUpperCase(), tag.value)).join(', ') : '';
  const examples = /** @type {Record<string, string>} */ ({ country: 'DE, AT', language: 'de, pt-BR', hours: '08:00-18:00', network: '192.0.2.0/24', browser: 'Safari, Firefox', referrer: 'example.com' });
  return html`<${TextInput} id=${id} aria-label=${label} value=${shown} error=${error} hint placeholder=${examples[kind] ?? ''} autocomplete="off" spellcheck="false" onInput=${type} />
    ${!error && html`<div class="hint" id="${id}-hint">${names || say('commas')}</div>`}
    ${kind === 'country' && html`<${Select} label=${say('addCountry')} class="add-country" value="" onChange=${(/** @type {string} */ code) => code && type([...values, code].join(', '))} options=${[['', say('addCountry')], ...countriesByName(tag.value).filter(([code]) => !values.includes(code))]} />`}`;
}

/** A day, or a moment of it. @param {Given} props */
function Bound({ id, value, label, zone, error, onChange }) {
  const clock = knowsZone(zone) ? zone : 'UTC';
  const [day = '', time = ''] = typeof value === 'number' ? fieldOf(value, clock).split('T') : [value];
  const set = (/** @type {string} */ nextDay, /** @type {string} */ nextTime) => onChange((nextDay && nextTime && momentOfField(`${nextDay}T${nextTime}`, clock)) || nextDay);
  return html`<div class="bound"><${TextInput} id=${id} type="date" aria-label=${label} value=${day} error=${error} onInput=${(/** @type {string} */ next) => set(next, time)} />
    <${TextInput} id="${id}-time" type="time" aria-label=${say('timeOfDay')} value=${time} onInput=${(/** @type {string} */ next) => set(day, next)} /></div>
    <div class="hint">${time ? `${say('zone')}: ${clock}` : say('wholeDay')}</div>`;
}

/** Rows are kept here: two that have no name yet are one member. @param {Given} props */
function Parameters({ id, value, label, onChange }) {
  const rows = useRef(/** @type {[string, string | true][]} */ (Object.entries(value)));
  if (JSON.stringify(Object.fromEntries(rows.current)) !== JSON.stringify(value)) rows.current = /** @type {[string, string | true][]} */ (Object.entries(value));
  const set = (/** @type {[string, string | true][]} */ next) => { rows.current = next; onChange(Object.fromEntries(next)); };
  const put = (/** @type {number} */ at, /** @type {[string, string | true]} */ row) => set(rows.current.map((old, place) => (place === at ? row : old)));
  return html`${rows.current.map(([name, text], at) => html`<div key=${at} class="parameter">
      <${TextInput} id="${id}-${at}" class="mono" aria-label=${label} placeholder="ref" autocomplete="off" spellcheck="false" value=${name} onInput=${(/** @type {string} */ next) => put(at, [next.trim(), text])} />
      <${TextInput} id="${id}-${at}-value" aria-label=${say('value')} placeholder=${say('anyValue')} value=${text === true ? '' : text} onInput=${(/** @type {string} */ next) => put(at, [name, next || true])} />
      <${IconButton} icon="close" label=${say('remove')} onClick=${() => set(rows.current.filter((_, place) => place !== at))} /></div>`)}
    <button type="button" class="text-button" onClick=${() => set([...rows.current, ['', true]])}><${Icon} name="add" />${say('add')}</button>`;
}

/** Browsers name countries, Antarctica among them, and no continents. @type {Record<string, import('../words.js').Word>} */
const CONTINENTS = { AF: 'africa', AS: 'asia', EU: 'europe', NA: 'northAmerica', OC: 'oceania', SA: 'southAmerica' };

/** @type {Record<string, string>} */
const SYSTEMS = { ios: 'iOS', android: 'Android', windows: 'Windows', macos: 'macOS', linux: 'Linux', chromeos: 'ChromeOS' };

/** @param {string} kind @param {string} value */
function nameOf(kind, value) {
  if (kind === 'continent') return CONTINENTS[value] ? say(CONTINENTS[value]) : countryName('AQ', tag.value);
  // The first of January 2024 was a Monday.
  if (kind === 'weekday') return new Intl.DateTimeFormat(tag.value, { weekday: 'short', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + (KINDS.weekday?.values?.indexOf(value) ?? 0)));
  return SYSTEMS[value] ?? say(value === 'mobile' ? 'devicePhone' : value === 'tablet' ? 'deviceTablet' : 'deviceDesktop');
}
