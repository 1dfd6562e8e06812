// Named tokens: a list, a form, and the one look at a new token.
import { listTags, listTokens, makeToken, revokeToken } from '../api.js';
import { shownKey } from '../links/key.js';
import { useLoaded } from '../load.js';
import { Check, CopyButton, Field, TextInput } from '../parts/controls.js';
import { Confirm } from '../parts/dialog.js';
import { ErrorNote, wording } from '../parts/notes.js';
import { TagInput } from '../parts/tag-input.js';
import { ApiError } from '../problem.js';
import { ALL } from '../state/domain-choice.js';
import { domainName, domainOptions, several } from '../state/domains.js';
import { toast } from '../state/toasts.js';
import { addDays, ownZone, startOfDay } from '../time/clock.js';
import { html, signal, useState } from '../view.js';
import { figures, say } from '../words.js';

/** @typedef {import('../api.js').Schemas['Token']} Token */
/** @typedef {import('../api.js').Schemas['TokenMade']} Made */
/** @typedef {import('../state/session.js').Scope} Scope */

/** @type {readonly (readonly [Scope, import('../words.js').Word])[]} */
const SCOPES = [['links:read', 'scopeLinksRead'], ['links:write', 'scopeLinksWrite'], ['analytics:read', 'scopeAnalyticsRead'], ['admin', 'scopeAdmin']];

/** How many tokens were made elsewhere on the page: part of the key of what is loaded. */
export const tokensMade = signal(0);

export function TokensCard() {
  const [stamp, setStamp] = useState(0);
  const [made, setMade] = useState(/** @type {Made | undefined} */ (undefined));
  const [revoking, setRevoking] = useState(/** @type {Token | undefined} */ (undefined));
  const told = useLoaded(`tokens ${stamp} ${tokensMade.value}`, (signal) => listTokens(signal));
  const refresh = () => setStamp((/** @type {number} */ n) => n + 1);
  const revoke = async (/** @type {string} */ name) => {
    setRevoking(undefined);
    try {
      await revokeToken(name);
      toast(say('tokenRevoked', { name }));
      if (made?.name === name) setMade(undefined);
    } catch (error) {
      toast(wording(error), 'bad');
    }
    refresh();
  };
  const tokens = told.data?.tokens ?? [];
  return html`<section class="card setup-card tokens"><h2>${say('tokens')}</h2><p class="setup-text">${say('tokensText')}</p>
    ${told.error && html`<${ErrorNote} error=${told.error} again=${told.again} />`}
    ${tokens.length > 0 && html`<ul class="token-list">${tokens.map((token) => html`<${TokenRow} key=${token.name} token=${token} onRevoke=${() => setRevoking(token)} />`)}</ul>`}
    ${made && html`<${MadeToken} made=${made} />`}
    <${NewToken} onMade=${(/** @type {Made} */ token) => { setMade(token); refresh(); }} />
    ${revoking && html`<${Confirm} title=${say('tokenRevokeTitle', { name: revoking.name })} text=${say('tokenRevokeText')} action=${say('tokenRevoke')} onConfirm=${() => revoke(revoking.name)} onClose=${() => setRevoking(undefined)} />`}
  </section>`;
}

/** @param {{ token: Token, onRevoke: () => void }} props */
function TokenRow({ token, onRevoke }) {
  const { name, scopes, slugs, tags, domains, lastUsedAt, expiresAt, assistant } = token;
  const links = slugs?.map((slug) => html`<code key=${slug} class="chip quiet" data-bound="slug">${shownKey(slug)}</code>`) ?? [];
  const tagged = tags?.map((tag) => html`<span key=${tag} class="chip" data-bound="tag">${tag}</span>`) ?? [];
  const hosted = domains?.map((host) => html`<code key=${host} class="chip quiet" data-bound="domain">${domainName(host)}</code>`) ?? [];
  // A link that was deleted does not come back, and neither does what was bound to it.
  const reach = slugs || tags || domains ? html`<span class="token-scopes"><span class="hint">${say('tokenOnly')}</span>${hosted}${links}${tagged}${(slugs || tags) && links.length + tagged.length === 0 && html`<span class="hint">${say('tokenNoLink')}</span>`}</span>` : '';
  const used = lastUsedAt ? say('tokenUsed', { when: figures.value.moment(lastUsedAt) }) : say('tokenUnused');
  const end = expiresAt ? say('expiresAt', { when: figures.value.moment(expiresAt) }) : say('neverExpires');
  return html`<li class="token" data-token=${name}><div class="token-main"><strong><bdi>${name}</bdi></strong><span class="token-scopes">${scopes.map((scope) => html`<code key=${scope} class="chip quiet">${scope}</code>`)}</span>${reach}${assistant && html`<span class="hint" data-assistant=${assistant.host}>${say('tokenAssistant', { name: assistant.name, host: assistant.host })}</span>`}<span class="hint">${used} · ${end}</span></div>
    <button type="button" class="button" aria-label=${say('tokenRevokeTitle', { name })} onClick=${onRevoke}>${say('tokenRevoke')}</button></li>`;
}

/** The one time that the text of a token can be read. @param {{ made: Made }} props */
function MadeToken({ made }) {
  const address = `${new URL('./', document.baseURI).href}#token=${made.token}`;
  return html`<div class="token-made" role="status"><p>${say('tokenMade', { name: made.name })}</p>
    <p class="token-text"><code>${made.token}</code><${CopyButton} text=${made.token} /></p>
    <p>${say('tokenAddress')}</p><p class="token-text"><code>${address}</code><${CopyButton} text=${address} /></p></div>`;
}

/** The slugs in a text; a short link may begin with its slash. @param {string} text */
const slugsIn = (text) => text.split(/[\s,]+/).map((slug) => slug.replace(/^\/+/, '')).filter(Boolean);

/** @param {{ onMade: (made: Made) => void }} props */
function NewToken({ onMade }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState(/** @type {readonly Scope[]} */ (['links:read']));
  const [until, setUntil] = useState('');
  const [slugs, setSlugs] = useState('');
  const [tags, setTags] = useState(/** @type {string[]} */ ([]));
  const [domains, setDomains] = useState(/** @type {readonly string[]} */ ([]));
  const known = useLoaded('tags', (signal) => listTags(several.value ? ALL : '', signal));
  const [working, setWorking] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const issue = (/** @type {string} */ member) => (error instanceof ApiError ? error.issueOf(member) : undefined);
  const nameError = error?.code === 'token_name_taken' ? wording(error) : issue('name');
  const [endError, slugError, tagError] = [issue('expiresAt'), issue('slugs'), issue('tags')];
  const isToldBeside = nameError || endError || slugError || tagError;
  const wanted = slugsIn(slugs);
  const isBound = wanted.length > 0 || tags.length > 0 || domains.length > 0;
  // What may do everything cannot be bound, so each of the two switches the other off.
  const isAdmin = chosen.includes('admin');
  const toggle = (/** @type {Scope} */ scope, /** @type {boolean} */ on) => setChosen((/** @type {readonly Scope[]} */ before) => (on ? [...before, scope] : before.filter((one) => one !== scope)));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setWorking(true);
    setError(undefined);
    try {
      onMade(await makeToken({ name: name.trim(), scopes: [...chosen], ...(wanted.length > 0 ? { slugs: wanted } : {}), ...(tags.length > 0 ? { tags } : {}), ...(domains.length > 0 ? { domains: [...domains] } : {}), ...(until ? { expiresAt: startOfDay(addDays(until, 1), ownZone()) } : {}) }));
      setName('');
      setUntil('');
      setSlugs('');
      setTags([]);
      setDomains([]);
    } catch (failure) {
      setError(failure);
    } finally {
      setWorking(false);
    }
  };
  return html`<form class="token-form" onSubmit=${submit} novalidate>
    <${Field} label=${say('tokenName')} id="token-name" error=${nameError}><${TextInput} id="token-name" value=${name} error=${nameError} maxlength="64" autocomplete="off" onInput=${setName} /><//>
    <${Field} label=${say('expires')} id="token-end" hint=${say('tokenEndHint')} error=${endError}><${TextInput} id="token-end" type="date" value=${until} error=${endError} hint="there" onInput=${setUntil} /><//>
    <fieldset class="token-choice"><legend>${say('tokenScopes')}</legend>${SCOPES.map(([scope, word]) => html`<${Check} key=${scope} label=${say(word)} checked=${chosen.includes(scope)} onChange=${(/** @type {boolean} */ on) => toggle(scope, on)} data-scope=${scope} disabled=${scope === 'admin' && isBound} />`)}</fieldset>
    <fieldset class="token-bound" disabled=${isAdmin}><${Field} label=${say('tokenSlugs')} id="token-slugs" hint=${say(isAdmin ? 'tokenAdminBound' : 'tokenSlugsHint')} error=${slugError}><${TextInput} id="token-slugs" class="mono" value=${slugs} error=${slugError} hint="there" autocomplete="off" autocapitalize="off" spellcheck="false" onInput=${setSlugs} /><//>
      <${Field} label=${say('tokenTags')} id="token-tags" hint=${isAdmin ? '' : say('tokenTagsHint')} error=${tagError}><${TagInput} id="token-tags" tags=${tags} known=${known.data?.map((/** @type {{ name: string }} */ tag) => tag.name) ?? []} onChange=${setTags} /><//></fieldset>
    ${several.value && html`<fieldset class="token-choice" disabled=${isAdmin}><legend>${say('tokenDomains')}</legend>${domainOptions().map(([host, text]) => html`<${Check} key=${host} label=${text} checked=${domains.includes(host)} data-token-domain=${host} onChange=${(/** @type {boolean} */ on) => setDomains((/** @type {readonly string[]} */ before) => (on ? [...before, host] : before.filter((one) => one !== host)))} />`)}</fieldset>`}
    ${error && !isToldBeside && html`<${ErrorNote} error=${error} />`}
    <p><button type="submit" class="button primary" disabled=${working || !name.trim() || chosen.length === 0}>${say('tokenMake')}</button></p>
  </form>`;
}
