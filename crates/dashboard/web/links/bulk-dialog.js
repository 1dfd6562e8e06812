// One action on many links: what it would do, then doing it, then what came of it.
import { batchLinks } from '../api.js';
import { Field, Segments, TextInput } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { ErrorNote, Progress, wording } from '../parts/notes.js';
import { toast } from '../state/toasts.js';
import { hasTrash } from '../state/trash.js';
import { ownZone } from '../time/clock.js';
import { html, useEffect, useRef, useState } from '../view.js';
import { figures, say } from '../words.js';
import { addTotals, noTotals, runBatch, sumOf } from './batch.js';
import { endsOf, undoBatch } from './bulk-undo.js';
import { momentOfField } from './draft.js';
import { keyOf, shownKey } from './key.js';

/** @typedef {'add' | 'remove' | 'expiry' | 'delete'} Action */
/** @typedef {import('./batch.js').Target} Target */
/** @typedef {{ state: 'waiting' | 'looking' | 'looked' | 'running' | 'over', totals: import('./batch.js').Totals, done: string[], bad: import('./batch.js').Result[], error: any }} Run `done` has the keys of what was changed. */

/** @type {Record<Action, import('../words.js').Word>} */
const TITLES = { add: 'addTag', remove: 'removeTagAction', expiry: 'setExpiry', delete: 'delete' };

/** How long after the last key is asked what would happen. */
const PAUSE_MS = 300;

/** Rows of a report; more are counted. */
const MOST_ROWS = 200;

/** @returns {Run} */
const begun = () => ({ state: 'waiting', totals: noTotals(), done: [], bad: [], error: undefined });

/** @param {{ action: Action, target: Target, count: number, links: import('../api.js').Link[], known: string[], onDone: () => void, onChange: () => void, onClose: () => void }} props `links` are those of the list. */
export function BulkDialog({ action, target, count, links, known, onDone, onChange, onClose }) {
  const [tag, setTag] = useState('');
  const [field, setField] = useState('');
  const [never, setNever] = useState(false);
  const [run, setRun] = useState(begun());
  const [again, setAgain] = useState(/** @type {Target | undefined} */ (undefined));
  const abort = useRef(new AbortController());
  const body = bodyOf(action, tag, never ? null : momentOfField(field, ownZone()));
  const key = JSON.stringify(body);

  const go = async (/** @type {Target} */ meant, /** @type {boolean} */ dryRun) => {
    abort.current.abort();
    const { signal } = (abort.current = new AbortController());
    let result = { ...begun(), state: /** @type {Run['state']} */ (dryRun ? 'looking' : 'running') };
    const tell = (/** @type {Partial<Run>} */ part) => { result = { ...result, ...part }; if (!signal.aborted || !dryRun) setRun(result); };
    tell({});
    /** @type {import('./bulk-undo.js').Ends} */
    let ends = new Map();
    try {
      if (action === 'expiry' && !dryRun) ends = await endsOf(meant, links, signal);
      await runBatch(batchLinks, { ...body, dryRun }, meant, {
        signal,
        onPage: ({ totals, results }) => tell({
          totals: addTotals(result.totals, totals),
          done: [...result.done, ...results.filter(({ outcome }) => outcome === 'done').map(keyOf)],
          bad: [...result.bad, ...results.filter(({ outcome }) => outcome === 'refused' || outcome === 'failed')],
        }),
      });
    } catch (error) {
      tell({ error });
    }
    tell({ state: dryRun ? 'looked' : 'over' });
    if (dryRun) return;
    const undo = () => undoBatch(body, result.done, ends).then((n) => { toast(say('bulkDone', { n })); onChange(); }, (error) => { toast(wording(error), 'bad'); onChange(); });
    if (result.totals.done > 0) toast(say('bulkDone', { n: result.totals.done }), 'good', action !== 'delete' || hasTrash.value ? { text: say('undo'), run: undo } : undefined);
    if (!result.error && result.bad.length === 0 && !signal.aborted) onDone();
  };
  useEffect(() => {
    abort.current.abort();
    setRun(begun());
    if (!body) return undefined;
    const timer = setTimeout(() => go(target, true), action === 'delete' ? 0 : PAUSE_MS);
    return () => clearTimeout(timer);
  }, [key]);
  useEffect(() => () => abort.current.abort(), []);

  const working = run.state === 'running';
  const over = run.state === 'over';
  const failed = run.bad.filter(({ outcome }) => outcome === 'failed').map(keyOf);
  const leave = over ? onDone : onClose;
  const submit = (/** @type {Event} */ event) => { event.preventDefault(); if (run.state === 'looked' && run.totals.done > 0) go(target, false); };
  const footer = over
    ? html`${failed.length > 0 && html`<button type="button" class="button" onClick=${() => { setAgain({ keys: failed }); go({ keys: failed }, false); }}>${say('tryAgain')}</button>`}<button type="button" class="button primary push" onClick=${leave}>${say('close')}</button>`
    : html`<button type="button" class="button" onClick=${working ? () => abort.current.abort() : onClose}>${working ? say('stop') : say('cancel')}</button>
      <button type="submit" form="bulk-form" class="button ${action === 'delete' ? 'danger' : 'primary'}" disabled=${run.state !== 'looked' || run.totals.done === 0}>${say(action === 'remove' ? 'remove' : action === 'add' ? 'add' : TITLES[action])}</button>`;
  const title = action === 'delete' ? say('deleteMany', { n: count }) : `${say(TITLES[action])} (${say('linkCount', { n: count })})`;
  return html`<${Dialog} title=${title} class="small bulk-dialog" onClose=${working ? () => abort.current.abort() : leave} footer=${footer}>
    <form id="bulk-form" onSubmit=${submit}>
      ${action === 'delete' && html`<p>${say(hasTrash.value ? 'deleteText' : 'purgeText')}</p>`}
      ${(action === 'add' || action === 'remove') && html`<${Field} label=${say('tag')} id="bulk-tag"><${TextInput} id="bulk-tag" list="bulk-known" maxlength="32" autocomplete="off" autofocus disabled=${working || over} value=${tag} onInput=${setTag} /><datalist id="bulk-known">${known.map((one) => html`<option key=${one} value=${one} />`)}</datalist><//>`}
      ${action === 'expiry' && html`<${Segments} label=${say('expires')} value=${never ? 'never' : 'at'} onChange=${(/** @type {string} */ how) => setNever(how === 'never')} options=${[['at', say('expires')], ['never', say('neverExpires')]]} />
        ${!never && html`<${Field} label=${say('expires')} id="bulk-expires" hint=${`${say('zone')}: ${ownZone()}`}><${TextInput} id="bulk-expires" type="datetime-local" disabled=${working || over} value=${field} onInput=${setField} hint /><//>`}`}
    </form>
    <${Outcome} run=${run} all=${again && 'keys' in again ? again.keys.length : count} />
    ${run.error && html`<${ErrorNote} error=${run.error} />`}<//>`;
}

/** @param {{ run: Run, all: number }} props */
function Outcome({ run, all }) {
  const { state, totals, bad } = run;
  const tells = state === 'looked' || state === 'running' || state === 'over';
  const sure = state === 'over' || state === 'running';
  /** @type {[import('../words.js').Word, number][]} */
  const rows = [[sure ? 'bulkChanged' : 'bulkWould', totals.done], ['bulkUnchanged', totals.unchanged], ['bulkGone', totals.notFound], ['bulkRefused', totals.refused], ['bulkFailed', totals.failed]];
  return html`<div class="bulk-outcome" aria-live="polite">
    ${(state === 'looking' || state === 'running') && html`<${Progress} done=${sumOf(totals)} all=${all} label=${say('working')} />`}
    ${tells && html`<dl class="tally">${rows.filter(([word, n], at) => at === 0 || n > 0).map(([word, n]) => html`<div key=${word} data-outcome=${word}><dt>${say(word)}</dt><dd>${figures.value.full(n)}</dd></div>`)}</dl>`}
    ${state === 'looked' && html`<p class="hint">${say('bulkDry')}</p>`}
    ${bad.length > 0 && html`<ul class="report">${bad.slice(0, MOST_ROWS).map((one) => html`<li key=${keyOf(one)}><code>${shownKey(keyOf(one))}</code> ${one.message}</li>`)}</ul>`}</div>`;
}

/**
 * What to send, once everything that it needs was given.
 * @param {Action} action @param {string} tag @param {number | null | undefined} moment Null for never.
 * @returns {any}
 */
function bodyOf(action, tag, moment) {
  const name = tag.trim().toLowerCase().normalize();
  if (action === 'delete') return { action: 'delete' };
  if (action === 'expiry') return moment === null ? { action: 'clearExpiration' } : moment ? { action: 'setExpiration', expiration: moment } : undefined;
  return name ? { action: action === 'add' ? 'addTags' : 'removeTags', tags: [name] } : undefined;
}
