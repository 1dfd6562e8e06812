// The domains of the instance: a list, a form, and taking one away.
import { listDomains, removeDomain, saveDomain } from '../api.js';
import { useLoaded } from '../load.js';
import { publicHost } from '../links/short-link.js';
import { Check, Field, Segments, Select, TextInput } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { ErrorNote } from '../parts/notes.js';
import { ApiError } from '../problem.js';
import { domainOptions, hosts } from '../state/domains.js';
import { toast } from '../state/toasts.js';
import { html, useState } from '../view.js';
import { say } from '../words.js';
import { bodyOf, draftOf } from './domain-draft.js';

/** @typedef {import('../api.js').Schemas['Domain']} Domain */

/** A proxy asks here before it gets a certificate for a host. */
const ASK = '/_health/domain?domain=';

export function DomainsCard() {
  const [stamp, setStamp] = useState(0);
  const [edited, setEdited] = useState(/** @type {Domain | undefined} */ (undefined));
  const [removed, setRemoved] = useState(/** @type {Domain | undefined} */ (undefined));
  const told = useLoaded(`domains ${stamp}`, async (signal) => {
    const list = await listDomains(signal);
    hosts.value = list.map(({ host }) => host);
    return list;
  });
  const refresh = () => { setEdited(undefined); setRemoved(undefined); setStamp((/** @type {number} */ n) => n + 1); };
  const list = told.data ?? [];
  return html`<section class="card setup-card domains"><h2>${say('domains')}</h2><p class="setup-text">${say('domainsText', { host: publicHost() })}</p>
    <p class="setup-text">${say('domainsProxy')} <code>${ASK}</code></p>
    ${told.error && html`<${ErrorNote} error=${told.error} again=${told.again} />`}
    ${list.length > 0 && html`<ul class="domain-list">${list.map((domain) => html`<${Row} key=${domain.host} domain=${domain} onEdit=${() => setEdited(domain)} onRemove=${() => setRemoved(domain)} />`)}</ul>`}
    <${DomainForm} key=${`new ${stamp}`} onSaved=${refresh} />
    ${edited && html`<${EditDialog} domain=${edited} onSaved=${refresh} onClose=${() => setEdited(undefined)} />`}
    ${removed && html`<${RemoveDialog} domain=${removed} onRemoved=${refresh} onClose=${() => setRemoved(undefined)} />`}
  </section>`;
}

/** @param {{ domain: Domain, onEdit: () => void, onRemove: () => void }} props */
function Row({ domain, onEdit, onRemove }) {
  const { host, homeUrl, notFoundUrl, expiredUrl, caseSensitive, fallThrough } = domain;
  /** @type {[import('../words.js').Word, string | undefined][]} */
  const said = [['domainHome', homeUrl], ['domainNotFound', notFoundUrl], ['domainExpired', expiredUrl]];
  return html`<li class="token" data-domain=${host}><div class="token-main"><strong class="mono">${host}</strong>
      ${said.map(([word, url]) => url && html`<span key=${word} class="hint">${say(word)}: ${url}</span>`)}
      ${caseSensitive !== undefined && html`<span class="hint">${say('domainLetters')}: ${say(caseSensitive ? 'domainLettersTwo' : 'domainLettersOne')}</span>`}
      ${fallThrough && html`<span class="hint">${say('domainFallThrough')}</span>`}</div>
    <button type="button" class="button" aria-label=${`${say('edit')} ${host}`} onClick=${onEdit}>${say('edit')}</button>
    <button type="button" class="button" aria-label=${`${say('domainRemove')} ${host}`} onClick=${onRemove}>${say('domainRemove')}</button></li>`;
}

/** @param {{ domain?: Domain, onSaved: () => void, id?: string }} props A new domain without one. */
function DomainForm({ domain, onSaved, id = 'domain' }) {
  const [draft, setDraft] = useState(draftOf(domain));
  const [working, setWorking] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const set = (/** @type {Partial<import('./domain-draft.js').Draft>} */ part) => { setDraft((/** @type {any} */ old) => ({ ...old, ...part })); setError(undefined); };
  const issue = (/** @type {string} */ member) => (error instanceof ApiError ? error.issueOf(member) : undefined);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setWorking(true);
    setError(undefined);
    try {
      const saved = await saveDomain(bodyOf(draft), !domain);
      toast(say('domainSaved', { host: saved.host }));
      onSaved();
    } catch (failure) {
      setError(failure);
      setWorking(false);
    }
  };
  const field = (/** @type {'homeUrl' | 'notFoundUrl' | 'expiredUrl'} */ member, /** @type {import('../words.js').Word} */ word) => html`<${Field} key=${member} label=${say(word)} id="${id}-${member}" error=${issue(member)}><${TextInput} id="${id}-${member}" type="url" inputmode="url" placeholder="https://" value=${draft[member]} error=${issue(member)} onInput=${(/** @type {string} */ text) => set({ [member]: text })} /><//>`;
  return html`<form class="domain-form" onSubmit=${submit} novalidate>
    ${!domain && html`<${Field} label=${say('domainHost')} id="${id}-host" error=${issue('host')}><${TextInput} id="${id}-host" class="mono" placeholder="go.example.com" autocomplete="off" autocapitalize="off" spellcheck="false" value=${draft.host} error=${issue('host')} onInput=${(/** @type {string} */ host) => set({ host })} /><//>`}
    ${field('homeUrl', 'domainHome')}${field('notFoundUrl', 'domainNotFound')}${field('expiredUrl', 'domainExpired')}
    <div class="field domain-letters"><span class="label">${say('domainLetters')}</span><${Segments} label=${say('domainLetters')} value=${draft.letters} onChange=${(/** @type {any} */ letters) => set({ letters })} options=${[['', say('asServer')], ['two', say('domainLettersTwo')], ['one', say('domainLettersOne')]]} /></div>
    <${Check} label=${say('domainFallThrough')} checked=${draft.fallThrough} onChange=${(/** @type {boolean} */ fallThrough) => set({ fallThrough })} />
    ${error && !(error instanceof ApiError && error.issues.length > 0) && html`<${ErrorNote} error=${error} />`}
    <p><button type="submit" class="button primary" disabled=${working || !draft.host.trim()}>${domain ? say('save') : say('domainAdd')}</button></p>
  </form>`;
}

/** @param {{ domain: Domain, onSaved: () => void, onClose: () => void }} props */
function EditDialog({ domain, onSaved, onClose }) {
  return html`<${Dialog} title=${domain.host} onClose=${onClose}><${DomainForm} id="edited" domain=${domain} onSaved=${onSaved} /><//>`;
}

/** @param {{ domain: Domain, onRemoved: () => void, onClose: () => void }} props */
function RemoveDialog({ domain, onRemoved, onClose }) {
  const { host } = domain;
  const [links, setLinks] = useState('refuse');
  const [moveTo, setMoveTo] = useState('');
  const [working, setWorking] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const remove = async () => {
    setWorking(true);
    setError(undefined);
    try {
      const { links: n } = await removeDomain({ host, links, ...(links === 'move' ? { moveTo } : {}) });
      toast(say('domainRemoved', { host, n }));
      onRemoved();
    } catch (failure) {
      setError(failure);
      setWorking(false);
    }
  };
  const footer = html`<button type="button" class="button" onClick=${onClose}>${say('cancel')}</button>
    <button type="button" class="button danger" disabled=${working} onClick=${remove}>${say('domainRemove')}</button>`;
  return html`<${Dialog} title=${say('domainRemoveTitle', { host })} class="small" onClose=${onClose} footer=${footer}><p>${say('domainRemoveText')}</p>
    <div class="field"><span class="label">${say('domainLinks')}</span><${Select} label=${say('domainLinks')} class="domain-links" value=${links} onChange=${setLinks} options=${[['refuse', say('domainLinksStay')], ['move', say('domainLinksMove')], ['delete', say('domainLinksDelete')]]} /></div>
    ${links === 'move' && html`<div class="field"><span class="label">${say('domainMoveTo')}</span><${Select} label=${say('domainMoveTo')} class="domain-target" value=${moveTo} onChange=${setMoveTo} options=${domainOptions().filter(([one]) => one !== host)} /></div>`}
    ${error && html`<${ErrorNote} error=${error} />`}<//>`;
}
