// Destinations that share visitors with the main one.
import { Field, IconButton, TextInput } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { html } from '../view.js';
import { say } from '../words.js';

/** @typedef {{ url: string, weight: string }} Side Its weight as it is typed. */

/** A bound of the server. */
const MOST_SIDES = 8;

/**
 * @param {{ split: Side[], until: string, zone: string, issue: import('./rules.js').Issue, onChange: (split: Side[]) => void, onUntil: (until: string) => void }} props
 */
export function Split({ split, until, zone, issue, onChange, onUntil }) {
  const put = (/** @type {number} */ at, /** @type {Partial<Side>} */ part) => onChange(split.map((side, place) => (place === at ? { ...side, ...part } : side)));
  const rest = 100 - split.reduce((sum, { weight }) => sum + (Number(weight) || 0), 0);
  const error = issue('split') ?? (rest < 0 ? say('tooMuchSplit', { n: -rest }) : undefined);
  return html`<div class="field split ${error ? 'has-error' : ''}"><span class="label">${say('split')}</span><div class="hint">${say('splitHint')}</div>
    ${split.map((side, at) => {
      const fault = issue(`split.${at}`, true);
      return html`<div key=${at} class="side field ${fault ? 'has-error' : ''}" role="group" aria-label=${say('sideNumber', { n: at + 1 })}><div class="side-row">
        <${TextInput} id="side-${at}" type="url" inputmode="url" aria-label=${say('destination')} autocomplete="off" spellcheck="false" placeholder="https://" value=${side.url} onInput=${(/** @type {string} */ url) => put(at, { url })} />
        <span class="percent"><${TextInput} id="side-${at}-weight" type="number" min="1" max="100" step="1" aria-label=${say('percent')} value=${side.weight} onInput=${(/** @type {string} */ weight) => put(at, { weight })} /><span aria-hidden="true">%</span></span>
        <${IconButton} icon="close" label=${say('remove')} onClick=${() => onChange(split.filter((_, place) => place !== at))} /></div>
        ${fault && html`<div class="field-error" role="alert">${fault}</div>`}</div>`;
    })}
    ${split.length > 0 && rest >= 0 && html`<div class="hint" aria-live="polite">${say('splitRest', { n: rest })}</div>`}
    ${error && html`<div class="field-error" role="alert">${error}</div>`}
    ${split.length < MOST_SIDES && html`<button type="button" class="text-button" onClick=${() => onChange([...split, { url: '', weight: String(Math.max(1, Math.floor(rest / 2))) }])}><${Icon} name="add" />${say('addDestination')}</button>`}
    ${split.length > 0 && html`<${Field} label=${say('splitUntil')} id="split-until" hint=${`${say('zone')}: ${zone}`} error=${issue('splitUntil')}><${TextInput} id="split-until" type="datetime-local" value=${until} error=${issue('splitUntil')} hint onInput=${onUntil} /><//>`}</div>`;
}
