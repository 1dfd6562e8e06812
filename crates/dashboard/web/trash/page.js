// Deleted links, which can be brought back for a while.
import { listTrash, purgeLink, restoreLink } from '../api.js';
import { callerName } from '../audit/line.js';
import { keyOf, shownKey } from '../links/key.js';
import { Address } from '../parts/address.js';
import { Field, TextInput } from '../parts/controls.js';
import { Confirm, Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { More } from '../parts/more.js';
import { Empty, ErrorNote, wording } from '../parts/notes.js';
import { domain, domainName, several } from '../state/domains.js';
import { reason, refusalOfChange, refusalOfErasure } from '../state/refusal.js';
import { go } from '../state/router.js';
import { toast } from '../state/toasts.js';
import { html, useEffect, useRef, useState } from '../view.js';
import { figures, say } from '../words.js';

/** @typedef {import('../api.js').Schemas['TrashedLink']} Trashed */

const PAGE_SIZE = 50;

export function TrashPage() {
  const [stamp, setStamp] = useState(0);
  const list = useTrash(`${domain.value} ${stamp}`);
  const [purging, setPurging] = useState(/** @type {Trashed | undefined} */ (undefined));
  const [taken, setTaken] = useState(/** @type {{ entry: Trashed, free: string } | undefined} */ (undefined));
  const refresh = () => setStamp(stamp + 1);
  const restore = async (/** @type {Trashed} */ entry, /** @type {string | undefined} */ slug) => {
    const { link, version } = entry;
    const back = slug ? keyOf({ slug, domain: link.domain }) : keyOf(link);
    try {
      await restoreLink({ id: link.id, version, ...(slug && { slug }) });
      setTaken(undefined);
      toast(say('broughtBack', { link: shownKey(back) }), 'good', { text: say('edit'), run: () => go('links', { edit: back }) });
      refresh();
    } catch (/** @type {any} */ error) {
      if (error.status === 409 && error.freeSlug) setTaken({ entry, free: error.freeSlug });
      else toast(wording(error), 'bad');
    }
  };
  const purge = async (/** @type {Trashed} */ { link }) => {
    setPurging(undefined);
    try {
      await purgeLink(link.id);
      toast(say('deleted', { link: shownKey(keyOf(link)) }));
      refresh();
    } catch (error) {
      toast(wording(error), 'bad');
    }
  };
  const nothing = !list.loading && !list.error && list.entries.length === 0;
  return html`<div class="page trash"><h1>${say('pageTrash')}</h1>
    ${list.error && html`<${ErrorNote} error=${list.error} again=${refresh} />`}
    ${nothing && html`<div class="card"><${Empty} icon="trash" title=${say('trashEmpty')} text=${say('trashEmptyText')} /></div>`}
    ${list.entries.length > 0 && html`<ul class="trash-list ${list.loading ? 'stale' : ''}">${list.entries.map((entry) => html`<${Entry} key=${entry.link.id} entry=${entry} onRestore=${() => restore(entry, undefined)} onPurge=${() => setPurging(entry)} />`)}</ul>`}
    ${!list.complete && list.entries.length > 0 && html`<${More} onMore=${list.more} loading=${list.loading} />`}
    ${purging && html`<${Confirm} title=${say('deleteTitle', { link: shownKey(keyOf(purging.link)) })} text=${say('purgeText')} action=${say('deleteForGood')} onConfirm=${() => purge(purging)} onClose=${() => setPurging(undefined)} />`}
    ${taken && html`<${OtherSlug} free=${taken.free} onChoose=${(/** @type {string} */ slug) => restore(taken.entry, slug)} onClose=${() => setTaken(undefined)} />`}
  </div>`;
}

/** @param {{ entry: Trashed, onRestore: () => void, onPurge: () => void }} props */
function Entry({ entry: { link, deletedAt, deletedBy, until }, onRestore, onPurge }) {
  const [change, erase] = [reason(refusalOfChange.value), reason(refusalOfErasure.value)];
  return html`<li class="trash-entry">
    <span class="trash-link"><span class="mono">${several.value && html`<span class="row-host">${domainName(link.domain)}</span>`}/${link.slug}</span><${Address} url=${link.url} /></span>
    <span class="trash-when">${say('deletedBy', { when: figures.value.moment(deletedAt), who: callerName(deletedBy) })} · ${say('keptUntil', { when: figures.value.moment(until) })}</span>
    <span class="trash-actions"><button type="button" class="button" disabled=${Boolean(change)} title=${change} onClick=${onRestore}>${say('bringBack')}</button>
      <button type="button" class="button danger" disabled=${Boolean(erase)} title=${erase} onClick=${onPurge}><${Icon} name="trash" />${say('deleteForGood')}</button></span>
  </li>`;
}

/** @param {{ free: string, onChoose: (slug: string) => void, onClose: () => void }} props */
function OtherSlug({ free, onChoose, onClose }) {
  const [slug, setSlug] = useState(free);
  const footer = html`<button type="button" class="button" onClick=${onClose}>${say('cancel')}</button>
    <button type="button" class="button primary" disabled=${!slug.trim()} onClick=${() => onChoose(slug.trim())}>${say('bringBack')}</button>`;
  return html`<${Dialog} title=${say('bringBack')} class="small" onClose=${onClose} footer=${footer}>
    <${Field} label=${say('otherSlug')} id="other-slug"><${TextInput} id="other-slug" value=${slug} autocomplete="off" autocapitalize="off" spellcheck="false" onInput=${setSlug} /><//><//>`;
}

/** @param {string} key */
function useTrash(key) {
  const [state, setState] = useState({ entries: /** @type {Trashed[]} */ ([]), cursor: /** @type {string | undefined} */ (undefined), complete: false, loading: true, error: /** @type {any} */ (undefined) });
  const abort = useRef(new AbortController());
  const load = async (/** @type {string | undefined} */ cursor, /** @type {Trashed[]} */ before) => {
    const { signal } = abort.current;
    const update = (/** @type {object} */ part) => { if (!signal.aborted) setState((/** @type {any} */ old) => ({ ...old, ...part })); };
    update({ loading: true });
    try {
      const page = await listTrash({ limit: PAGE_SIZE, domain: domain.value, cursor }, signal);
      update({ entries: [...before, ...page.links], cursor: page.cursor, complete: page.list_complete, loading: false, error: undefined });
    } catch (error) {
      update({ loading: false, error });
    }
  };
  useEffect(() => {
    abort.current = new AbortController();
    load(undefined, []);
    return () => abort.current.abort();
  }, [key]);
  return { ...state, more: () => { if (!state.loading && state.cursor) load(state.cursor, state.entries); } };
}
