// An instance without links: one field, one button.
import { createLink, counters } from '../api.js';
import { CopyButton } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { ErrorNote } from '../parts/notes.js';
import { domainOfNew } from '../state/domains.js';
import { reason, refusalOfNew } from '../state/refusal.js';
import { change, go } from '../state/router.js';
import { html, useEffect, useState } from '../view.js';
import { say } from '../words.js';
import { asUrl } from './draft.js';
import { keyOf } from './key.js';
import { Sample } from './sample.js';
import { shortLink } from './short-link.js';

/** How often a new link is asked for its first visit. */
const WATCH_MS = 3_000;

/** @param {{ onMade: () => void }} props */
export function FirstLink({ onMade }) {
  const [url, setUrl] = useState('');
  const [made, setMade] = useState(/** @type {import('../api.js').Schemas['LinkCreated'] | undefined} */ (undefined));
  const [visits, setVisits] = useState(0);
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const create = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setError(undefined);
    try {
      setMade(await createLink({ url: asUrl(url), domain: domainOfNew.value || undefined }));
    } catch (failure) {
      setError(failure);
    }
  };
  useEffect(() => {
    if (!made || visits > 0) return undefined;
    const timer = setInterval(() => {
      counters({ id: made.link.id }).then((answer) => setVisits(answer.data[0]?.visits ?? 0), () => {});
    }, WATCH_MS);
    return () => clearInterval(timer);
  }, [made, visits]);

  if (made) {
    const address = shortLink(made.link);
    return html`<section class="first"><span class="first-mark good"><${Icon} name="check" /></span>
      <h2>${say('firstMade')}</h2>
      <p class="first-link"><a class="mono" href=${address} target="_blank" rel="noreferrer">${address.replace(/^https?:\/\//, '')}</a><${CopyButton} text=${address} /></p>
      <p class="first-text" aria-live="polite">${visits > 0 ? say('firstVisit', { n: visits }) : say('firstFollow')}</p>
      <p class="first-actions">${visits > 0 ? html`<button type="button" class="button primary" onClick=${() => go('analytics', { slug: keyOf(made.link) })}>${say('seeAnalytics')}</button>` : html`<span class="waiting" aria-hidden="true"></span>`}
      <button type="button" class="button" onClick=${onMade}>${say('showList')}</button></p></section>`;
  }
  return html`<section class="first"><h2>${say('firstTitle')}</h2><p class="first-text">${say('firstText')}</p>
    <form class="first-form" onSubmit=${create} novalidate><input class="input" type="url" inputmode="url" aria-label=${say('destination')} placeholder="https://example.com/a/long/address" autocomplete="off" spellcheck="false" value=${url} onInput=${(/** @type {any} */ event) => setUrl(event.currentTarget.value)} />
      <button type="submit" class="button primary" disabled=${!url.trim() || refusalOfNew.value}>${say('shorten')}</button></form>
    ${refusalOfNew.value && html`<p class="note">${reason(refusalOfNew.value)}</p>`}${error && html`<${ErrorNote} error=${error} />`}
    <p class="first-more"><button type="button" class="text-button" onClick=${() => change({ new: '1', url: url || undefined })}>${say('moreOptions')}</button><button type="button" class="text-button" onClick=${() => change({ do: 'import' })}>${say('importInstead')}</button></p><${Sample} /></section>`;
}
