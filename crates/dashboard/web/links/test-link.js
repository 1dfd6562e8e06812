// What a visitor would get: a link as it is in the form, and an imagined visitor.
import { events, explainLink } from '../api.js';
import { Field, Select, TextInput } from '../parts/controls.js';
import { wording } from '../parts/notes.js';
import { may } from '../state/session.js';
import { countryName } from '../text/country.js';
import { html, useEffect, useRef, useState } from '../view.js';
import { figures, say, tag } from '../words.js';
import { KINDS } from './conditions.js';
import { bodyOf, momentOfField } from './draft.js';
import { keyOf } from './key.js';

/** @typedef {import('../api.js').Schemas['LinkExplanation']} Explanation */
/** @typedef {import('../api.js').Schemas['EventView']} Visit */

/** @type {readonly (readonly [string, string])[]} */
const DEVICES = [
  ['iPhone', 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1'],
  ['Android', 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36'],
  ['Windows', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'],
  ['Mac', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_4) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15'],
  ['Googlebot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
];

/** How long a person must not type before the server is asked. */
const PAUSE_MS = 300;

const NOBODY = { userAgent: '', country: '', language: '', referrer: '', query: '', path: '', ip: '', at: '' };

/** @param {{ link: import('../api.js').Link | undefined, draft: import('./draft.js').Draft, zone: string }} props */
export function TestLink({ link, draft, zone }) {
  const [visitor, setVisitor] = useState(NOBODY);
  const [visits, setVisits] = useState(/** @type {Visit[]} */ ([]));
  const [told, setTold] = useState(/** @type {{ data?: Explanation, error?: any }} */ ({}));
  const set = (/** @type {Partial<typeof NOBODY>} */ part) => setVisitor((/** @type {typeof NOBODY} */ old) => ({ ...old, ...part }));
  const key = link && keyOf(link);
  useEffect(() => {
    if (key && may('analytics:read')) events({ slug: link.slug, domain: link.domain, limit: 20 }).then(setVisits, () => {});
  }, [key]);
  const asked = JSON.stringify([visitor, draft]);
  const latest = useRef('');
  latest.current = asked;
  useEffect(() => {
    if (!draft.url.trim()) return undefined;
    const timer = setTimeout(() => {
      const { slug, domain, ...changes } = /** @type {any} */ (bodyOf(link, draft, zone));
      const at = visitor.at ? momentOfField(visitor.at, zone) : undefined;
      const about = Object.fromEntries(Object.entries({ ...visitor, at }).filter(([, value]) => value));
      const body = link ? { slug: link.slug, domain: link.domain, draft: changes, ...about } : { draft: { ...changes, slug, domain }, ...about };
      explainLink(body).then((data) => { if (latest.current === asked) setTold({ data }); }, (error) => { if (latest.current === asked) setTold({ error }); });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [asked]);
  const field = (/** @type {keyof typeof NOBODY} */ name, /** @type {string} */ label, /** @type {object} */ more = {}) => html`<${Field} label=${label} id="test-${name}"><${TextInput} id="test-${name}" autocomplete="off" spellcheck="false" value=${visitor[name]} onInput=${(/** @type {string} */ value) => set({ [name]: value })} ...${more} /><//>`;
  const known = DEVICES.some(([, text]) => text === visitor.userAgent);
  return html`<div class="test-link"><p class="hint">${say('testText')}</p>
    ${visits.length > 0 && html`<div class="field"><span class="label">${say('examples')}</span><${Select} label=${say('examples')} value="" onChange=${(/** @type {string} */ at) => { const visit = visits[Number(at)]; if (visit) set({ ...NOBODY, userAgent: visit.ua, country: visit.country, language: visit.language, referrer: visit.referer }); }}
      options=${[['', '–'], ...visits.map((visit, at) => [String(at), nameOf(visit)])]} /></div>`}
    <div class="test-visitor"><div class="field"><span class="label">${say('testDevice')}</span><${Select} label=${say('testDevice')} value=${visitor.userAgent} onChange=${(/** @type {string} */ userAgent) => set({ userAgent })}
        options=${[['', say('testUnknown')], ...DEVICES.map(([name, text]) => [text, name]), ...(visitor.userAgent && !known ? [[visitor.userAgent, visitor.userAgent.slice(0, 40)]] : [])]} /></div>
      ${field('country', say('country'), { maxlength: 2, placeholder: 'DE' })}${field('language', say('language'), { placeholder: 'de-DE' })}
      ${field('referrer', say('testReferrer'), { placeholder: 'example.com' })}${field('query', say('testQuery'), { placeholder: 'ref=poster' })}
      ${field('ip', 'IP', { placeholder: '192.0.2.1' })}${draft.forwardPath && field('path', '/…', {})}${field('at', say('testMoment'), { type: 'datetime-local' })}</div>
    <div aria-live="polite">${told.error ? html`<p class="field-error">${wording(told.error)}</p>` : told.data && html`<${Answer} told=${told.data} />`}</div></div>`;
}

/** @param {{ told: Explanation }} props */
function Answer({ told }) {
  const { answer, status, location, destination, chosenBy, index, missed, gates, note, placesNote } = told;
  const by = chosenBy && (index === undefined ? chosenBy : `${chosenBy} ${index + 1}`);
  return html`<dl class="test-answer"><div><dt>${say('testAnswer')}</dt><dd><span class="mono">${[status, answer].filter(Boolean).join(' ')}</span>${gates.length > 1 && html` <span class="mono">→ ${gates.slice(1).join(' → ')}</span>`}</dd></div>
    ${(location ?? destination) && html`<div><dt>${say('destination')}</dt><dd class="mono">${location ?? destination}</dd></div>`}
    ${by && html`<div><dt>${say('testBy')}</dt><dd class="mono">${by}</dd></div>`}</dl>
    ${missed.length > 0 && html`<ul class="test-missed">${missed.map(({ rule, condition, fact }) => html`<li key=${rule}>${say('testMissed', { rule: rule + 1, condition: KINDS[condition] ? say(KINDS[condition].word) : condition, fact: fact === '' ? '–' : fact ?? say('testUnknown') })}</li>`)}</ul>`}
    ${note && html`<p class="hint">${say('testSplit')}</p>`}${placesNote && html`<p class="hint warn-text">${say('emptyPlaces')}</p>`}`;
}

/** @param {Visit} visit */
function nameOf({ timestamp, country, os, browser, referer }) {
  const place = country && countryName(country, tag.value);
  return [figures.value.moment(timestamp), place, os, browser, referer].filter(Boolean).join(' · ');
}
