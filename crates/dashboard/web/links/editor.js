// The panel in which a link is made or changed.
import { createLink, patchLink, readLink, searchLinks, suggestSlug } from '../api.js';
import { ErrorNote, wording } from '../parts/notes.js';
import { Check, Field, IconButton, Segments, Select, TextInput, copyText } from '../parts/controls.js';
import { useFocusBack } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { TagInput } from '../parts/tag-input.js';
import { ApiError } from '../problem.js';
import { addShortcuts } from '../shortcuts.js';
import { domainOfNew, domainOptions, several } from '../state/domains.js';
import { areCarried, drafts } from '../state/drafts.js';
import { demonstration, lacking, reason, refusalOfChange, refusalOfNew } from '../state/refusal.js';
import { change, go } from '../state/router.js';
import { toast } from '../state/toasts.js';
import { ownZone } from '../time/clock.js';
import { html, useEffect, useRef, useState } from '../view.js';
import { say } from '../words.js';
import { Campaign } from './campaign.js';
import { CountryRules } from './country-rules.js';
import { Conflict } from './conflict.js';
import { asUrl, createBody, draftOf, emptyDraft, hasLife, isChanged, looksLikeSlug, patchBody } from './draft.js';
import { EraseVisits } from './erase-visits.js';
import { keyOf, partsOf, shownKey } from './key.js';
import { Life } from './life.js';
import { disputed, merged } from './merge.js';
import { PreviewCard } from './preview-card.js';
import { Rules } from './rules.js';
import { prefix, shortLink } from './short-link.js';
import { Split } from './split.js';
import { StatusBadge } from './status-badge.js';
import { TestLink } from './test-link.js';
import { UTM, readUtm } from './utm.js';

/** @typedef {import('../api.js').Link} Link */
/** @typedef {import('./draft.js').Draft} Draft */

/** How often a change is put on top of what others did in between. */
const ATTEMPTS = 3;

/**
 * @param {object} props
 * @param {string | undefined} props.name The key of the link to change; a new one without.
 * @param {string | undefined} props.from The key of a link to begin a new one with.
 * @param {string | undefined} props.url A destination to begin with.
 * @param {{ name: string }[]} props.tags
 * @param {() => void} props.onSaved
 * @param {(link: Link) => void} props.onDelete
 */
export function Editor({ name, from, url, tags, onSaved, onDelete }) {
  const isNew = !name;
  const zone = ownZone();
  const [link, setLink] = useState(/** @type {Link | undefined} */ (undefined));
  const place = name ?? `new ${from ?? ''}`;
  const [original, setOriginal] = useState(emptyDraft(url, domainOfNew.value));
  const [version, setVersion] = useState('');
  const [draft, setDraft] = useState(() => { const kept = drafts.get(place); return (!url || kept?.url === url) && kept ? kept.draft : emptyDraft(url, domainOfNew.value); });
  const [conflict, setConflict] = useState(/** @type {import('./conflict.js').Dispute | undefined} */ (undefined));
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const [missing, setMissing] = useState(false);
  const [unread, setUnread] = useState(/** @type {any} */ (undefined));
  const [begun, setBegun] = useState(isNew && !from);
  const [saving, setSaving] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const panel = useRef(/** @type {HTMLElement | null} */ (null));
  useFocusBack();
  const modal = useModal(panel);
  const set = (/** @type {Partial<Draft>} */ part) => {
    setDraft((/** @type {Draft} */ old) => {
      const next = { ...old, ...part };
      drafts.set(place, { draft: next, link, version, url });
      return next;
    });
    setError(undefined);
  };

  const read = () => {
    const source = name ?? from;
    if (!source) return;
    setUnread(undefined);
    readLink(partsOf(source)).then((answer) => {
      const kept = drafts.get(place);
      const { link: found, version: current } = kept?.link ? { link: kept.link, version: kept.version } : answer;
      const taken = draftOf(found, zone);
      const start = isNew ? { ...taken, slug: '' } : taken;
      if (!isNew) setLink(found);
      setVersion(current);
      setOriginal(start);
      setDraft(kept?.draft ?? start);
      setBegun(true);
    }, (failure) => (failure instanceof ApiError && failure.status === 404 ? setMissing(true) : setUnread(failure)));
  };
  useEffect(read, []);
  useEffect(() => { if (begun) /** @type {HTMLElement | null | undefined} */ (panel.current?.querySelector('#url'))?.focus(); }, [begun]);

  const changed = isChanged(draft, original);
  useEffect(() => {
    if (!changed) return undefined;
    const warn = (/** @type {Event} */ event) => { if (!areCarried()) event.preventDefault(); };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [changed]);
  const close = () => { drafts.delete(place); change({ edit: undefined, new: undefined, from: undefined, url: undefined }); };
  const leave = () => (changed ? setLeaving(true) : close());

  useEffect(() => addShortcuts([{ keys: 'Escape', word: 'close', group: 'links', hidden: true, run: leave }]));

  const refusal = isNew ? refusalOfNew.value : refusalOfChange.value;
  const save = async (/** @type {Event} */ event, /** @type {boolean} */ another = false) => {
    event.preventDefault();
    if (refusal || saving || !begun || !draft.url.trim()) return;
    setSaving(true);
    setError(undefined);
    try {
      const whole = { ...draft, url: asUrl(draft.url) };
      const made = link ? await saveChange(link, version, whole) : await createLink(createBody(whole, zone));
      if (!made) return;
      onSaved();
      if (link) {
        toast(say('saved', { link: shownKey(keyOf(made.link)) }));
        close();
      } else {
        const address = shortLink(made.link);
        const copied = await copyText(address);
        toast(copied ? say('copiedLink', { link: address }) : say('made', { link: shownKey(keyOf(made.link)) }));
        drafts.delete(place);
        const next = emptyDraft('', whole.domain);
        setOriginal(next);
        setDraft(next);
        if (!another) close();
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setSaving(false);
    }
  };
  /**
   * Changes the link. What others changed meanwhile stays, unless both changed
   * the same: then nothing is sent, and both versions are shown.
   * @param {Link} before @param {string} known @param {Draft} mine
   */
  const saveChange = async (before, known, mine) => {
    for (let attempt = 1, base = before, current = known, wanted = mine; ; attempt += 1) {
      try {
        return await patchLink(patchBody(base, wanted, zone), current);
      } catch (failure) {
        const theirLink = failure instanceof ApiError && failure.code === 'precondition_failed' ? failure.link : undefined;
        if (!theirLink || attempt > ATTEMPTS) throw failure;
        const [common, theirs] = [draftOf(base, zone), draftOf(theirLink, zone)];
        const members = disputed(common, wanted, theirs);
        wanted = merged(common, wanted, theirs);
        base = theirLink;
        current = /** @type {ApiError} */ (failure).version;
        if (members.length === 0) continue;
        setLink(base);
        setVersion(current);
        setOriginal(theirs);
        setDraft(wanted);
        drafts.set(place, { draft: wanted, link: base, version: current, url });
        setConflict({ members, mine: wanted, theirs });
        return undefined;
      }
    }
  };
  const issue = (/** @type {string} */ member) => (error instanceof ApiError ? error.issueOf(member) : undefined);
  const issueAt = (/** @type {string} */ path, /** @type {boolean | undefined} */ below) => (error instanceof ApiError ? error.issueAt(path, below) : undefined);
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Escape') { event.stopPropagation(); leave(); }
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) save(event);
  };

  return html`<aside class="panel" ref=${panel} role="dialog" aria-modal=${modal ? 'true' : undefined} aria-label=${say(isNew ? 'newLink' : 'editLink')} onKeyDown=${keys}>
    <header class="panel-head"><h2>${say(isNew ? 'newLink' : 'editLink')}</h2>
      ${link && html`<${StatusBadge} link=${link} now=${Date.now() / 1000} always />`}
      ${link && html`<${IconButton} icon="trash" label=${say('delete')} disabled=${Boolean(refusal)} onClick=${() => onDelete(link)} />`}
      <${IconButton} icon="close" label=${say('close')} onClick=${leave} /></header>
    ${missing ? html`<div class="panel-body"><p>${say('linkGone', { link: shownKey(name ?? from ?? '') })}</p><p><button type="button" class="button" onClick=${close}>${say('showList')}</button></p></div>` : unread ? html`<div class="panel-body"><${ErrorNote} error=${unread} again=${read} /></div>` : html`
    <form class="panel-form" onSubmit=${(/** @type {Event} */ event) => save(event)} novalidate>
      <div class="panel-body ${begun ? '' : 'stale'}" inert=${!begun}>
        ${refusal && html`<p class="note" id="refusal">${reason(refusal)}</p>`}
        ${conflict && html`<${Conflict} dispute=${conflict} draft=${draft} onChoose=${set} />`}
        <${Destination} draft=${draft} set=${set} error=${issue('url')} isNew=${isNew} />
        ${name ? html`<div class="field"><span class="label">${say('shortLink')}</span><a class="mono" href=${shortLink(partsOf(name))} target="_blank" rel="noreferrer">${prefix(partsOf(name).domain)}${partsOf(name).slug}</a></div>`
          : html`${several.value && html`<div class="field"><span class="label">${say('domain')}</span><${Select} label=${say('domain')} class="domain-of-new" value=${draft.domain} onChange=${(/** @type {string} */ domain) => set({ domain })} options=${domainOptions()} />${issue('domain') && html`<div class="field-error" role="alert">${issue('domain')}</div>`}</div>`}
          <${SlugField} draft=${draft} set=${set} error=${issue('slug') ?? (error?.code === 'slug_taken' || error?.status === 409 ? error.message : undefined)} />`}
        <${Field} label=${say('note')} id="comment" error=${issue('comment')}><${TextInput} id="comment" value=${draft.comment} onInput=${(/** @type {string} */ comment) => set({ comment })} error=${issue('comment')} maxlength="2048" /><//>
        <${Field} label=${say('tags')} id="tags" error=${issue('tags')}><${TagInput} id="tags" tags=${draft.tags} known=${tags.map(({ name }) => name)} onChange=${(/** @type {string[]} */ next) => set({ tags: next })} /><//>
        <${Section} title=${say('life')} open=${hasLife(draft) || Boolean(link?.password) || ['disabled', 'startsAt', 'startUrl', 'expiration', 'expiredUrl', 'maxVisits', 'password'].some(issue)}>
          <${Life} draft=${draft} link=${link} zone=${zone} set=${set} issue=${issue} />
          ${link?.password && html`<div class="field"><span class="label">${say('password')}</span><${Segments} label=${say('password')} value=${draft.passwordMode} onChange=${(/** @type {any} */ passwordMode) => set({ passwordMode })} options=${[['keep', say('passwordKeep')], ['set', say('passwordSet')], ['remove', say('passwordRemove')]]} /></div>`}
          ${(!link?.password || draft.passwordMode === 'set') && html`<${Field} label=${link?.password ? say('newPassword') : say('password')} id="password" hint=${say('passwordHint')} error=${issue('password')}>
            <${TextInput} id="password" type="text" autocomplete="off" spellcheck="false" value=${draft.password} maxlength="128" hint error=${issue('password')} onInput=${(/** @type {string} */ password) => set({ password, passwordMode: password || link?.password ? 'set' : 'keep' })} /><//>`}
        <//>
        <${Section} title=${say('campaign')} open=${UTM.some((name) => readUtm(draft.url)[name] !== '')}><${Campaign} url=${draft.url} onChange=${(/** @type {string} */ next) => set({ url: next })} /><//>
        <${Section} title=${say('whereItLeads')} open=${[draft.rules, draft.split, draft.geo].some((list) => list.length > 0) || Boolean(draft.apple || draft.google) || ['rules', 'apple', 'google', 'geo', 'split', 'splitUntil'].some(issue)}>
          <${Rules} rules=${draft.rules} issue=${issueAt} onChange=${(/** @type {Draft['rules']} */ rules) => set({ rules })} />
          <${Field} label=${say('apple')} id="apple" error=${issue('apple')}><${TextInput} id="apple" type="url" inputmode="url" placeholder="https://" value=${draft.apple} error=${issue('apple')} onInput=${(/** @type {string} */ apple) => set({ apple })} /><//>
          <${Field} label=${say('google')} id="google" error=${issue('google')}><${TextInput} id="google" type="url" inputmode="url" placeholder="https://" value=${draft.google} error=${issue('google')} onInput=${(/** @type {string} */ google) => set({ google })} /><//>
          <${CountryRules} rules=${draft.geo} error=${issue('geo')} onChange=${(/** @type {Draft['geo']} */ geo) => set({ geo })} />
          <${Split} split=${draft.split} until=${draft.splitUntil} zone=${zone} issue=${issueAt} onChange=${(/** @type {Draft['split']} */ split) => set({ split })} onUntil=${(/** @type {string} */ splitUntil) => set({ splitUntil })} />
        <//>
        ${!demonstration.value && html`<${Section} title=${say('testLink')} open=${false}><${TestLink} link=${link} draft=${draft} zone=${zone} /><//>`}
        <${Section} title=${say('previewCard')} open=${Boolean(draft.title || draft.description || draft.image)}>
          <${Field} label=${say('title')} id="title" error=${issue('title')}><${TextInput} id="title" maxlength="256" value=${draft.title} error=${issue('title')} onInput=${(/** @type {string} */ title) => set({ title })} /><//>
          <${Field} label=${say('description')} id="description" error=${issue('description')}><textarea id="description" class="input" rows="2" maxlength="2048" value=${draft.description} onInput=${(/** @type {any} */ event) => set({ description: event.currentTarget.value })}></textarea><//>
          <${Field} label=${say('image')} id="image" hint=${say('imageHint')} error=${issue('image')}><${TextInput} id="image" maxlength="128" value=${draft.image} error=${issue('image')} hint onInput=${(/** @type {string} */ image) => set({ image })} /><//>
          <${PreviewCard} draft=${draft} />
        <//>
        <${Section} title=${say('behaviour')} open=${draft.withQuery !== '' || draft.cloaking || draft.proxy || draft.unsafe || draft.forwardPath || draft.noindex !== '' || Boolean(issue('forwardPath'))}>
          <div class="field"><span class="label">${say('passQuery')}</span><${Select} label=${say('passQuery')} value=${draft.withQuery} onChange=${(/** @type {any} */ withQuery) => set({ withQuery })} options=${[['', say('asServer')], ['yes', say('yes')], ['no', say('no')]]} /></div>
          <${Check} label=${say('forwardPath')} hint=${say('forwardPathHint')} id="forwardPath" checked=${draft.forwardPath} onChange=${(/** @type {boolean} */ forwardPath) => set({ forwardPath })} />
          ${issue('forwardPath') && html`<div class="field-error" role="alert">${issue('forwardPath')}</div>`}
          <${Check} label=${say('cloaking')} hint=${say('cloakingHint')} checked=${draft.cloaking} onChange=${(/** @type {boolean} */ cloaking) => set({ cloaking })} />
          <${Check} label=${say('proxy')} hint=${say('proxyHint')} checked=${draft.proxy} onChange=${(/** @type {boolean} */ proxy) => set({ proxy })} />
          <${Check} label=${say('warn')} hint=${say('warnHint')} checked=${draft.unsafe} onChange=${(/** @type {boolean} */ unsafe) => set({ unsafe })} />
          <div class="field"><span class="label">${say('noindex')}</span><${Select} label=${say('noindex')} value=${draft.noindex} onChange=${(/** @type {any} */ noindex) => set({ noindex })} options=${[['', say('asServer')], ['yes', say('yes')], ['no', say('no')]]} /></div>
        <//>
        ${link && html`<${EraseVisits} link=${link} />`}
        ${error && !(error instanceof ApiError && error.issues.length > 0) && error.status !== 409 && html`<${ErrorNote} error=${error} />`}
      </div>
      <footer class="panel-foot">${leaving ? html`<span class="panel-ask">${say('unsaved')}</span>
        <button type="button" class="button" ref=${takesFocus} onClick=${() => setLeaving(false)}>${say('goOnEditing')}</button><button type="button" class="button danger" onClick=${close}>${say('discard')}</button>`
        : html`<button type="submit" class="button primary" aria-describedby=${refusal ? 'refusal' : undefined} disabled=${saving || !begun || refusal || !draft.url.trim() || (!isNew && !changed)}>${isNew ? say('createAndCopy') : say('save')}</button>
        ${isNew && html`<button type="button" class="button" disabled=${saving || !begun || refusal || !draft.url.trim()} onClick=${(/** @type {Event} */ event) => save(event, true)}>${say('createAnother')}</button>`}
        <button type="button" class="button quiet push" onClick=${leave}>${say('cancel')}</button>`}</footer>
    </form>`}
  </aside>`;
}

/** For what comes in the place of what had the focus. @param {HTMLElement | null} element */
const takesFocus = (element) => element?.focus();

/** Below this width the panel covers the page. */
const COVERS = matchMedia('(max-width: 959px)');

/** Keeps the focus in the panel while it covers the page. @param {{ current: HTMLElement | null }} panel @returns {boolean} Whether it does. */
function useModal(panel) {
  const [modal, setModal] = useState(COVERS.matches);
  useEffect(() => {
    const turned = () => setModal(COVERS.matches);
    COVERS.addEventListener('change', turned);
    return () => COVERS.removeEventListener('change', turned);
  }, []);
  useEffect(() => {
    /** @type {Element[]} */
    const covered = [];
    for (let part = panel.current; modal && part && part.id !== 'app'; part = part.parentElement) {
      covered.push(...[...(part.parentElement?.children ?? [])].filter((other) => other !== part && !other.matches('.toasts, dialog, .veil, [inert]')));
    }
    for (const part of covered) part.toggleAttribute('inert', true);
    return () => { for (const part of covered) part.toggleAttribute('inert', false); };
  }, [modal]);
  return modal;
}

/** @param {{ title: string, open: boolean, children: any }} props */
function Section({ title, open, children }) {
  const [shown, setShown] = useState(open);
  useEffect(() => { if (open) setShown(true); }, [open]);
  return html`<section class="section"><button type="button" class="section-head" aria-expanded=${shown} onClick=${() => setShown(!shown)}><${Icon} name="chevron" />${title}</button>${shown && html`<div class="section-body">${children}</div>`}</section>`;
}

/**
 * Looks for links that already lead there, a moment after each pause.
 * @param {{ draft: Draft, set: (part: Partial<Draft>) => void, error: string | undefined, isNew: boolean }} props
 */
function Destination({ draft, set, error, isNew }) {
  const [same, setSame] = useState(/** @type {string | undefined} */ (undefined));
  const url = asUrl(draft.url);
  useEffect(() => {
    setSame(undefined);
    if (!isNew || !/^https?:\/\/.+\..+/.test(url) || url.length > 2000) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      searchLinks({ url, limit: 1, domain: draft.domain }, abort.signal).then(([found]) => setSame(found && keyOf(found)), () => {});
    }, 400);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [url, draft.domain]);
  const hint = same && html`<${Icon} name="info" />${say('alreadyShort')} <span class="mono">${prefix(draft.domain)}${partsOf(same).slug}</span> <button type="button" class="text-button" onClick=${() => go('links', { edit: same })}>${say('useIt')}</button>`;
  return html`<${Field} label=${say('destination')} id="url" hint=${hint} error=${error}><${TextInput} id="url" type="url" inputmode="url" autocomplete="off" spellcheck="false" placeholder="https://" value=${draft.url} error=${error} hint=${hint} onInput=${(/** @type {string} */ next) => set({ url: next })} /><//>`;
}

/** @param {{ draft: Draft, set: (part: Partial<Draft>) => void, error: string | undefined }} props */
function SlugField({ draft, set, error }) {
  const [state, setState] = useState(/** @type {'' | 'free' | 'taken'} */ (''));
  const slug = draft.slug.trim();
  useEffect(() => {
    setState('');
    if (!looksLikeSlug(slug) || slug.length > 40) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const same = (/** @type {{ slug: string }} */ found) => found.slug.toLowerCase() === slug.toLowerCase();
      searchLinks({ q: slug, limit: 200, domain: draft.domain }, abort.signal).then((found) => setState(found.some(same) ? 'taken' : 'free'), () => {});
    }, 300);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [slug, draft.domain]);
  const suggest = async () => {
    try {
      set({ slug: (await suggestSlug(asUrl(draft.url))).slug });
    } catch (failure) {
      toast(wording(failure), 'bad');
    }
  };
  const hint = state === 'free' ? html`<span class="good"><${Icon} name="check" />${say('free')}</span>` : state === 'taken' ? html`<span class="warn-text"><${Icon} name="warn" />${say('taken')}</span>` : say('slugHint');
  const noSuggestion = demonstration.value ? 'previewMode' : lacking('links:write');
  return html`<${Field} label=${say('shortLink')} id="slug" hint=${hint} error=${error}>
    <div class="with-button"><span class="input-group"><span class="prefix mono" aria-hidden="true">${prefix(draft.domain)}</span><${TextInput} id="slug" class="mono" autocomplete="off" autocapitalize="off" spellcheck="false" value=${draft.slug} error=${error} hint onInput=${(/** @type {string} */ next) => set({ slug: next })} /></span>
    <${IconButton} icon="bolt" label=${reason(noSuggestion) || say('suggest')} disabled=${noSuggestion !== '' || !draft.url.trim()} onClick=${suggest} /></div><//>`;
}
