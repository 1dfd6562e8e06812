// Other destinations by country.
import { countriesByName } from '../text/country.js';
import { IconButton, Select, TextInput } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { countriesKnown } from '../state/places.js';
import { html } from '../view.js';
import { say, tag } from '../words.js';

/** @param {{ rules: { country: string, url: string }[], error: string | undefined, onChange: (rules: { country: string, url: string }[]) => void }} props */
export function CountryRules({ rules, error, onChange }) {
  const names = countriesByName(tag.value);
  const set = (/** @type {number} */ at, /** @type {object} */ part) => onChange(rules.map((rule, place) => (place === at ? { ...rule, ...part } : rule)));
  return html`<div class="field ${error ? 'has-error' : ''}"><span class="label">${say('byCountry')}</span>
    ${rules.map((rule, at) => html`<div key=${at} class="country-rule">
      <${Select} label=${say('country')} value=${rule.country} onChange=${(/** @type {string} */ country) => set(at, { country })} options=${[['', say('chooseCountry')], ...names.filter(([code]) => code === rule.country || !rules.some((other) => other.country === code))]} />
      <${TextInput} id=${`geo-${at}`} type="url" inputmode="url" aria-label=${say('destination')} placeholder="https://" value=${rule.url} onInput=${(/** @type {string} */ url) => set(at, { url })} />
      <${IconButton} icon="close" label=${say('remove')} onClick=${() => onChange(rules.filter((_, place) => place !== at))} /></div>`)}
    <button type="button" class="text-button" onClick=${() => onChange([...rules, { country: '', url: '' }])}><${Icon} name="add" />${say('addCountry')}</button>
    ${rules.length > 0 && !countriesKnown.value && html`<div class="hint warn-text">${say('emptyPlaces')}</div>`}
    ${error && html`<div class="field-error" role="alert">${error}</div>`}</div>`;
}
