// When a link leads to its destination, how often, and where it leads otherwise.
import { Check, Field, IconButton, TextInput } from '../parts/controls.js';
import { html } from '../view.js';
import { say } from '../words.js';

/** @typedef {import('./draft.js').Draft} Draft */

/**
 * @param {{ draft: Draft, link: import('../api.js').Link | undefined, zone: string, set: (part: Partial<Draft>) => void, issue: (path: string) => string | undefined }} props
 */
export function Life({ draft, link, zone, set, issue }) {
  const url = (/** @type {'startUrl' | 'expiredUrl'} */ member, /** @type {import('../words.js').Word} */ hint) => html`<${Field} label=${say(member)} id=${member} hint=${say(hint)} error=${issue(member)}>
    <${TextInput} id=${member} type="url" inputmode="url" autocomplete="off" spellcheck="false" placeholder="https://" value=${draft[member]} error=${issue(member)} hint onInput=${(/** @type {string} */ next) => set({ [member]: next })} /><//>`;
  const moment = (/** @type {'starts' | 'expires'} */ member, /** @type {string} */ path, /** @type {import('../words.js').Word} */ none) => html`<${Field} label=${say(member)} id=${member} hint=${`${say('zone')}: ${zone}`} error=${issue(path)}>
    <div class="with-button"><${TextInput} id=${member} type="datetime-local" value=${draft[member]} onInput=${(/** @type {string} */ next) => set({ [member]: next })} error=${issue(path)} hint />
    ${draft[member] && html`<${IconButton} icon="close" label=${say(none)} onClick=${() => set({ [member]: '' })} />`}</div><//>`;
  const limit = link?.maxVisits !== undefined && link.visitsLeft !== undefined ? say('visitsLeft', { n: link.visitsLeft, all: link.maxVisits }) : say('maxVisitsHint');
  return html`
    <${Check} label=${say('statusDisabled')} hint=${say('disabledHint')} id="disabled" checked=${draft.disabled} onChange=${(/** @type {boolean} */ disabled) => set({ disabled })} />
    ${moment('starts', 'startsAt', 'atOnce')}
    ${(draft.starts || draft.startUrl) && url('startUrl', 'startUrlHint')}
    ${moment('expires', 'expiration', 'never')}
    ${link?.visitsBefore && html`<p class="hint">${say('visitsBefore', { n: link.visitsBefore })}</p>`}
    <${Field} label=${say('maxVisits')} id="maxVisits" hint=${limit} error=${issue('maxVisits')}><div class="with-button">
      <${TextInput} id="maxVisits" type="number" min="1" max="1000000000" step="1" inputmode="numeric" placeholder="∞" value=${draft.maxVisits} error=${issue('maxVisits')} hint onInput=${(/** @type {string} */ maxVisits) => set({ maxVisits })} />
      ${draft.maxVisits !== '1' && html`<button type="button" class="button" onClick=${() => set({ maxVisits: '1' })}>${say('oneTime')}</button>`}</div><//>
    ${(draft.expires || draft.maxVisits || draft.expiredUrl) && url('expiredUrl', 'expiredUrlHint')}`;
}
