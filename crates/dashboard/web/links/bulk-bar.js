// One action on many links.
import { comparable } from '../analytics/comparable.js';
import { deleteLink, patchLink, readLink } from '../api.js';
import { Confirm, Dialog } from '../parts/dialog.js';
import { Field, TextInput } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { Progress, wording } from '../parts/notes.js';
import { each } from '../pool.js';
import { addShortcuts } from '../shortcuts.js';
import { refusalOfChange } from '../state/refusal.js';
import { go } from '../state/router.js';
import { toast } from '../state/toasts.js';
import { ownZone } from '../time/clock.js';
import { html, useEffect, useRef, useState } from '../view.js';
import { say } from '../words.js';
import { momentOfField } from './draft.js';
import { saveExport } from './export.js';

/** @typedef {'add' | 'remove' | 'expiry' | 'delete'} Action */

/** @param {{ slugs: string[], tags: { name: string }[], onDone: () => void, onClear: () => void }} props */
export function BulkBar({ slugs, tags, onDone, onClear }) {
  const [action, setAction] = useState(/** @type {Action | undefined} */ (undefined));
  const [progress, setProgress] = useState(/** @type {{ done: number, failed: { slug: string, why: string }[] } | undefined} */ (undefined));
  const abort = useRef(new AbortController());
  const running = progress !== undefined;
  useEffect(() => addShortcuts([{ keys: 'Escape', word: 'clearSelection', group: 'links', hidden: true, run: onClear }]));

  const run = async (/** @type {(slug: string) => Promise<unknown>} */ work) => {
    setAction(undefined);
    abort.current = new AbortController();
    const failed = /** @type {{ slug: string, why: string }[]} */ ([]);
    let done = 0;
    setProgress({ done, failed });
    await each(slugs, work, {
      signal: abort.current.signal,
      onResult: (slug, _, error) => {
        done += 1;
        if (error) failed.push({ slug, why: wording(error) });
        setProgress({ done, failed: [...failed] });
      },
    });
    if (failed.length > 0) return;
    toast(say('bulkDone', { n: done }));
    setProgress(undefined);
    onDone();
  };
  const retag = (/** @type {string} */ tag, /** @type {boolean} */ add) => run(async (slug) => {
    const link = await readLink(slug);
    if (link.tags.includes(tag) === add) return;
    await patchLink({ slug, tags: add ? [...link.tags, tag] : link.tags.filter((other) => other !== tag) });
  });

  const why = refusalOfChange.value && say(refusalOfChange.value);
  const off = { disabled: Boolean(why), 'aria-describedby': why ? 'bulk-why' : undefined };
  return html`<div class="bulk" role="region" aria-label=${say('selection')}>
    <strong>${say('selected', { n: slugs.length })}</strong>
    <button type="button" class="button" disabled=${!comparable(slugs)} title=${comparable(slugs) ? undefined : say('compareHint')} onClick=${() => go('analytics', { slug: slugs.join(',') })}><${Icon} name="bars" />${say('compare')}</button>
    <button type="button" class="button" ...${off} onClick=${() => setAction('add')}><${Icon} name="tag" />${say('addTag')}</button>
    <button type="button" class="button" ...${off} onClick=${() => setAction('remove')}>${say('removeTagAction')}</button>
    <button type="button" class="button" ...${off} onClick=${() => setAction('expiry')}><${Icon} name="clock" />${say('setExpiry')}</button>
    <button type="button" class="button" ...${off} onClick=${() => saveExport(new Set(slugs))}><${Icon} name="down" />${say('export')}</button>
    <button type="button" class="button danger" ...${off} onClick=${() => setAction('delete')}><${Icon} name="trash" />${say('delete')}</button>
    <button type="button" class="button quiet push" onClick=${onClear}>${say('clearSelection')} <kbd>Esc</kbd></button>
    ${why && html`<p class="bulk-why" id="bulk-why">${why}</p>`}
    ${action === 'delete' && html`<${Confirm} title=${say('deleteMany', { n: slugs.length })} text=${say('deleteText')} action=${say('delete')} onClose=${() => setAction(undefined)} onConfirm=${() => run(deleteLink)} />`}
    ${(action === 'add' || action === 'remove') && html`<${TagDialog} add=${action === 'add'} known=${tags.map(({ name }) => name)} onClose=${() => setAction(undefined)} onTag=${(/** @type {string} */ tag) => retag(tag, action === 'add')} />`}
    ${action === 'expiry' && html`<${ExpiryDialog} onClose=${() => setAction(undefined)} onExpiry=${(/** @type {number | null} */ expiration) => run((slug) => patchLink({ slug, expiration }))} />`}
    ${running && html`<${Report} progress=${progress} all=${slugs.length} onStop=${() => abort.current.abort()} onClose=${() => { setProgress(undefined); onDone(); }} />`}
  </div>`;
}

/** @param {{ add: boolean, known: string[], onTag: (tag: string) => void, onClose: () => void }} props */
function TagDialog({ add, known, onTag, onClose }) {
  const [tag, setTag] = useState('');
  const name = tag.trim().toLowerCase();
  const submit = (/** @type {Event} */ event) => { event.preventDefault(); if (name) onTag(name); };
  return html`<${Dialog} title=${add ? say('addTag') : say('removeTagAction')} class="small" onClose=${onClose}
    footer=${html`<button type="button" class="button" onClick=${onClose}>${say('cancel')}</button><button type="submit" form="bulk-tag-form" class="button primary" disabled=${!name}>${add ? say('add') : say('remove')}</button>`}>
    <form id="bulk-tag-form" onSubmit=${submit}><${Field} label=${say('tag')} id="bulk-tag"><${TextInput} id="bulk-tag" list="bulk-known" maxlength="32" autocomplete="off" value=${tag} onInput=${setTag} /><datalist id="bulk-known">${known.map((one) => html`<option key=${one} value=${one} />`)}</datalist><//></form><//>`;
}

/** @param {{ onExpiry: (moment: number | null) => void, onClose: () => void }} props */
function ExpiryDialog({ onExpiry, onClose }) {
  const [field, setField] = useState('');
  const zone = ownZone();
  const moment = momentOfField(field, zone);
  return html`<${Dialog} title=${say('setExpiry')} class="small" onClose=${onClose}
    footer=${html`<button type="button" class="button" onClick=${() => onExpiry(null)}>${say('neverExpires')}</button><button type="button" class="button primary push" disabled=${!moment} onClick=${() => moment && onExpiry(moment)}>${say('setExpiry')}</button>`}>
    <${Field} label=${say('expires')} id="bulk-expires" hint=${`${say('zone')}: ${zone}`}><${TextInput} id="bulk-expires" type="datetime-local" value=${field} onInput=${setField} hint /><//><//>`;
}

/** @param {{ progress: { done: number, failed: { slug: string, why: string }[] }, all: number, onStop: () => void, onClose: () => void }} props */
function Report({ progress, all, onStop, onClose }) {
  const over = progress.done >= all;
  return html`<${Dialog} title=${say('working')} class="small" onClose=${over ? onClose : onStop} footer=${html`<button type="button" class="button" onClick=${over ? onClose : onStop}>${over ? say('close') : say('stop')}</button>`}>
    <${Progress} done=${progress.done} all=${all} label=${say('working')} /><p>${say('bulkProgress', { n: progress.done, all })}</p>
    ${progress.failed.length > 0 && html`<ul class="report">${progress.failed.map(({ slug, why }) => html`<li key=${slug}><code>${slug}</code> ${why}</li>`)}</ul>`}<//>`;
}
