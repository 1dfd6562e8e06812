// What a destination tells analytics elsewhere about its campaign.
import { Field, TextInput } from '../parts/controls.js';
import { html } from '../view.js';
import { say } from '../words.js';
import { UTM, readUtm, withUtm } from './utm.js';

/** @type {Record<import('./utm.js').Utm, [import('../words.js').Word, string]>} */
const FIELDS = {
  utm_source: ['utmSource', 'newsletter'],
  utm_medium: ['utmMedium', 'email'],
  utm_campaign: ['utmCampaign', 'spring-sale'],
  utm_term: ['utmTerm', 'running+shoes'],
  utm_content: ['utmContent', 'header'],
};

/** The fields have no memory of their own: the destination does. @param {{ url: string, onChange: (url: string) => void }} props */
export function Campaign({ url, onChange }) {
  const values = readUtm(url);
  const waits = url.trim() === '';
  return html`<p class="hint">${waits ? say('utmWaits') : say('utmHint')}</p><div class="campaign">${UTM.map((name) => {
    const [word, example] = FIELDS[name];
    return html`<${Field} key=${name} label=${say(word)} id=${name}><${TextInput} id=${name} autocomplete="off" spellcheck="false" placeholder=${example.replace('+', ' ')} disabled=${waits} value=${values[name]} onInput=${(/** @type {string} */ value) => onChange(withUtm(url, name, value))} /><//>`;
  })}</div>`;
}
