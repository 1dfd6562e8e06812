// The list of links.
import { addressOf } from '../address.js';
import { countLinks, deleteLink, listTags, restoreLink, switchLink } from '../api.js';
import { useLoaded } from '../load.js';
import { Chip, IconButton, Select, copyText } from '../parts/controls.js';
import { Confirm, Menu, MenuItem } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { later, onFirstStir } from '../parts/later.js';
import { More } from '../parts/more.js';
import { Empty, ErrorNote, wording } from '../parts/notes.js';
import { addShortcuts, takesText } from '../shortcuts.js';
import { domain } from '../state/domains.js';
import { moving, reason, refusalOfChange, refusalOfCheck, refusalOfExport, refusalOfNew, returns } from '../state/refusal.js';
import { change, follow, go, view } from '../state/router.js';
import { may } from '../state/session.js';
import { toast } from '../state/toasts.js';
import { hasTrash } from '../state/trash.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../view.js';
import { say } from '../words.js';
import { findLinks, visitsOf } from './find.js';
import { FirstLink } from './first-link.js';
import { keyOf, shownKey } from './key.js';
import { filterOf } from './list-query.js';
import { Moving } from './moving.js';
import { onPaste } from './pasted.js';
import { Row } from './row.js';
import { shortLink } from './short-link.js';
import { STATUS_WORDS } from './status.js';

/** @typedef {import('../api.js').Link} Link */

const BulkBar = later((again) => import('./bulk-bar.js' + again), 'BulkBar');
const HistoryDialog = later((again) => import('./history-dialog.js' + again), 'HistoryDialog');
const Editor = later((again) => import('./editor.js' + again), 'Editor');
const QrDialog = later((again) => import('./qr-dialog.js' + again), 'QrDialog');
const Transfer = later((again) => import('./transfer.js' + again), 'Transfer');

if (view.value.query.edit || view.value.query.new) Editor.prepare();

/** Rows that fill a screen: they are drawn before the others, which a slow phone takes a while for. */
const SCREEN = Math.ceil(innerHeight / (innerWidth < 720 ? 72 : 40));

/** How many times the list has changed here: part of the key of what is loaded. */
let version = 0;

export function LinksPage() {
  const { query } = view.value;
  const filter = filterOf(query, domain.value);
  const [stamp, setStamp] = useState(0);
  const key = JSON.stringify([filter, stamp, returns.value]);
  const list = useLinks(filter, key);
  const tags = useLoaded(`tags ${stamp} ${filter.domain}`, (signal) => listTags(domain.value, signal));
  const count = useLoaded(`count ${key}`, (signal) => countLinks({ q: filter.q, tag: filter.tag, status: filter.status, domain: filter.domain }, signal));
  const [selected, setSelected] = useState(/** @type {ReadonlySet<string>} */ (new Set()));
  const [everything, setEverything] = useState(false);
  const [deleting, setDeleting] = useState(/** @type {Link | undefined} */ (undefined));
  const place = useRef(-1);
  const lastSelected = useRef(-1);
  const { links } = list;
  const [drawn, setDrawn] = useState(SCREEN);
  const some = links.length > 0;
  useEffect(() => {
    if (!some) return undefined;
    // Once the first ones can be seen.
    let timer = 0;
    const frame = requestAnimationFrame(() => { timer = Number(setTimeout(() => setDrawn(Infinity), 0)); });
    return () => { cancelAnimationFrame(frame); clearTimeout(timer); };
  }, [some]);
  useEffect(() => onFirstStir(() => { for (const part of [Editor, BulkBar, QrDialog, Transfer]) part.prepare(); }), []);
  // The search field takes parts of addresses, and passes whole ones on.
  useEffect(() => onPaste((next) => change({ ...next, edit: undefined }), (target) => takesText(target) && !(target.id === 'search' && target.value === '')), []);
  const now = Date.now() / 1000;
  const refresh = () => setStamp(version += 1);

  const clear = () => { setSelected(new Set()); setEverything(false); };
  useEffect(() => { clear(); place.current = -1; }, [JSON.stringify(filter)]);

  const select = (/** @type {number} */ at, /** @type {boolean} */ on, /** @type {boolean} */ range) => {
    const from = range && lastSelected.current >= 0 ? Math.min(lastSelected.current, at) : at;
    const to = range && lastSelected.current >= 0 ? Math.max(lastSelected.current, at) : at;
    lastSelected.current = at;
    setEverything(false);
    setSelected((/** @type {ReadonlySet<string>} */ before) => {
      const next = new Set(before);
      for (const link of links.slice(from, to + 1)) on ? next.add(keyOf(link)) : next.delete(keyOf(link));
      return next;
    });
  };
  const act = (/** @type {Link} */ link, /** @type {string} */ what, /** @type {string} */ value = '') => {
    if (what === 'edit') change({ edit: keyOf(link), new: undefined, url: undefined });
    if (what === 'qr') change({ qr: keyOf(link) });
    if (what === 'history') change({ history: keyOf(link) });
    if (what === 'delete') refusalOfChange.value ? toast(reason(refusalOfChange.value), 'bad') : setDeleting(link);
    if (what === 'copy-of') change({ new: '1', from: keyOf(link), edit: undefined });
    if (what === 'switch') toggle(link);
    if (what === 'tag') go('links', { tag: value, domain: query.domain });
  };
  const toggle = async (/** @type {Link} */ link) => {
    try {
      await switchLink(link, !link.disabled);
      toast(say(link.disabled ? 'enabled' : 'disabled', { link: shownKey(keyOf(link)) }));
      refresh();
    } catch (error) {
      toast(wording(error), 'bad');
    }
  };
  const remove = async (/** @type {Link} */ link) => {
    setDeleting(undefined);
    try {
      await deleteLink(link);
      toast(say('deleted', { link: shownKey(keyOf(link)) }), 'good', hasTrash.value ? { text: say('undo'), run: () => undo(link) } : undefined);
      if (query.edit === keyOf(link)) change({ edit: undefined }, { replace: true });
      refresh();
    } catch (error) {
      toast(wording(error), 'bad');
    }
  };

  const undo = async (/** @type {Link} */ link) => {
    try {
      await restoreLink({ id: link.id });
      toast(say('broughtBack', { link: shownKey(keyOf(link)) }));
      refresh();
    } catch (error) {
      toast(wording(error), 'bad');
    }
  };

  useKeys({ links, place, selected, select, act });

  const filtered = Boolean(filter.q || filter.tag || filter.status);
  const nothing = !list.loading && !list.error && links.length === 0;
  const first = nothing && !filtered && !moving.value;
  const panelOpen = Boolean(query.edit || query.new);

  return html`<div class="page links ${panelOpen ? 'with-panel' : ''}">
    <div class="page-main">
    <h1 class="off-screen">${say('pageLinks')}</h1>
    ${first ? html`<${FirstLink} onMade=${refresh} />` : moving.value ? html`<${Moving} />` : html`
    <div class="toolbar">
      <${SearchField} value=${filter.q ?? ''} />
      <${Select} label=${say('status')} value=${filter.status ?? ''} onChange=${(/** @type {string} */ status) => change({ status: status || undefined })}
        options=${[['', say('statusCurrent')], ...Object.entries(STATUS_WORDS).map(([status, word]) => [status, say(word)]), ['broken', say('statusBroken')], ['all', say('statusAll')]]} />
      <${Select} label=${say('tag')} value=${filter.tag ?? ''} onChange=${(/** @type {string} */ tag) => change({ tag: tag || undefined })}
        options=${[['', say('anyTag')], ...(tags.data ?? []).map(({ name, count: n }) => [name, `${name} (${n})`]), ...(filter.tag && !tags.data?.some(({ name }) => name === filter.tag) ? [[filter.tag, filter.tag]] : [])]} />
      <${Select} label=${say('order')} value=${filter.sort ?? 'newest'} onChange=${(/** @type {string} */ sort) => change({ sort: sort === 'newest' ? undefined : sort })}
        options=${[['newest', say('newest')], ['oldest', say('oldest')], ['az', say('az')], ['za', say('za')], ...(may('analytics:read') ? [['visits', say('mostVisited')], ['recent', say('mostVisitedLately')]] : [])]} />
      ${list.estimated && html`<span class="chip quiet estimate" title=${say('estimateOrder')}><${Icon} name="info" />${say('estimate')}</span>`}
      <span class="toolbar-count" aria-live="polite">${count.data ? say('linkCount', { n: count.data.count }) : ''}</span>
      <${Menu} label=${say('more')} class="toolbar-menu" button=${html`<${Icon} name="more" />`}>
        <${MenuItem} icon="up" off=${reason(refusalOfNew.value)} onClick=${() => change({ do: 'import' })}>${say('import')}<//>
        <${MenuItem} icon="down" off=${reason(refusalOfExport.value)} onClick=${() => change({ do: 'export' })}>${say('export')}<//>
        <${MenuItem} icon="check" off=${reason(refusalOfCheck.value)} onClick=${() => change({ do: 'check' })}>${say('checkLinks')}<//>
        <${MenuItem} icon="trash" onClick=${() => go('trash', { domain: query.domain })}>${say('pageTrash')}<//>
      <//>
    </div>
    ${filter.tag && html`<div class="chips"><${Chip} text=${`${say('tag')}: ${filter.tag}`} label=${say('removeFilter')} onRemove=${() => change({ tag: undefined })} /><a class="text-button" href=${addressOf('analytics', { tag: filter.tag })} onClick=${(/** @type {MouseEvent} */ event) => follow(event, 'analytics', { tag: filter.tag })}><${Icon} name="bars" />${say('seeTagAnalytics')}</a></div>`}
    ${list.error && !moving.value && html`<${ErrorNote} error=${list.error} again=${refresh} />`}
    ${nothing && html`<${Empty} icon="search" title=${say('nothingFound')} text=${say('nothingFoundHint')}><button type="button" class="button" onClick=${() => go('links', { domain: query.domain })}>${say('clearFilters')}</button><//>`}
    ${links.length > 0 && html`<div class="list-head"><label class="row-check"><input type="checkbox" aria-label=${say('selectAll')} checked=${links.every((link) => selected.has(keyOf(link)))} onChange=${(/** @type {any} */ event) => { setEverything(false); setSelected(new Set(event.currentTarget.checked ? links.map(keyOf) : [])); }} /></label><span>${say('shortLink')}</span><span>${say('destination')}</span><span>${say('tags')}</span><span class="right">${filter.sort === 'recent' ? say('visits30d') : say('visits')}</span><span class="right">${say('created')}</span></div>
    <ul class="list ${list.loading ? 'stale' : ''}">${links.slice(0, drawn).map((link, at) => html`<${Row} key=${link.id} link=${link} visits=${list.visits.get(link.id) ?? (list.counted ? 0 : undefined)} now=${now} selected=${everything || selected.has(keyOf(link))}
      current=${query.edit === keyOf(link)} onSelect=${(/** @type {boolean} */ on, /** @type {boolean} */ range) => select(at, on, range)} onAct=${(/** @type {string} */ what, /** @type {string} */ value) => act(link, what, value)} />`)}</ul>`}
    ${list.loading && links.length === 0 && html`<ul class="list skeleton" aria-hidden="true">${Array.from({ length: 8 }, (_, n) => html`<li key=${n} class="row"><span class="block"></span><span class="block"></span><span class="block"></span></li>`)}</ul>`}
    ${!list.complete && some && drawn > links.length && html`<${More} onMore=${list.more} loading=${list.loading} />`}`}
    </div>
    ${selected.size > 0 && html`<${BulkBar} keys=${[...selected]} everything=${everything ? { filter: { q: filter.q, tag: filter.tag, status: filter.status }, domain: filter.domain } : undefined} matching=${count.data?.count ?? 0} links=${links} tags=${tags.data ?? []}
      onEverything=${() => setEverything(true)} onChange=${refresh} onDone=${() => { clear(); refresh(); }} onClear=${clear} />`}
    ${panelOpen && html`<${Editor} key=${query.edit ?? `new ${query.from ?? ''}`} name=${query.edit} from=${query.from} url=${query.url} tags=${tags.data ?? []} onSaved=${refresh} onDelete=${setDeleting} />`}
    ${query.qr && html`<${QrDialog} name=${query.qr} onClose=${() => change({ qr: undefined })} />`}
    ${query.history && html`<${HistoryDialog} name=${query.history} onClose=${() => change({ history: undefined })} onChange=${refresh} />`}
    ${query.do && html`<${Transfer} what=${query.do} onClose=${() => { change({ do: undefined }); refresh(); }} />`}
    ${deleting && html`<${Confirm} title=${say('deleteTitle', { link: shownKey(keyOf(deleting)) })} text=${say(hasTrash.value ? 'deleteText' : 'purgeText')} action=${say('delete')} onConfirm=${() => remove(deleting)} onClose=${() => setDeleting(undefined)} />`}
  </div>`;
}

/** @param {import('./find.js').Filter} filter @param {string} key */
function useLinks(filter, key) {
  const [state, setState] = useState({ links: /** @type {Link[]} */ ([]), visits: /** @type {Map<string, number>} */ (new Map()), cursor: /** @type {string | undefined} */ (undefined), complete: false, loading: true, counted: false, estimated: false, error: /** @type {any} */ (undefined) });
  const abort = useRef(new AbortController());
  /** The span of the visits that are shown: those of another one must not stand beside its head. */
  const counted = useRef('');
  const load = async (/** @type {string | undefined} */ cursor, /** @type {Link[]} */ before, /** @type {Map<string, number>} */ known) => {
    const { signal } = abort.current;
    const update = (/** @type {object} */ part) => { if (!signal.aborted) setState((/** @type {any} */ old) => ({ ...old, ...part })); };
    update({ loading: true });
    try {
      const found = await findLinks(filter, cursor, signal);
      const links = [...before, ...found.links];
      const span = filter.sort === 'recent' ? 'recent' : 'all';
      const counts = found.visits ? { visits: new Map([...known, ...found.visits]), counted: true } : span === counted.current ? {} : { visits: new Map(), counted: false };
      counted.current = span;
      update({ links, cursor: found.cursor, complete: found.complete, estimated: found.estimated, loading: false, error: undefined, ...counts });
      if (found.visits || !may('analytics:read')) return;
      const visits = await visitsOf(found.links, signal);
      update({ visits: new Map([...known, ...visits]), counted: true });
    } catch (error) {
      update({ loading: false, error });
    }
  };
  // Before the frame is painted: the first answer was asked for ahead, and may be there.
  useLayoutEffect(() => {
    abort.current = new AbortController();
    load(undefined, [], new Map());
    return () => abort.current.abort();
  }, [key]);
  return { ...state, more: () => { if (!state.loading && state.cursor) load(state.cursor, state.links, state.visits); } };
}

/** Searches while a person types, a moment after each pause. @param {{ value: string }} props */
function SearchField({ value }) {
  const [text, setText] = useState(value);
  const timer = useRef(0);
  useEffect(() => setText(value), [value]);
  const type = (/** @type {string} */ next) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = Number(setTimeout(() => change({ q: next.trim() || undefined }, { replace: Boolean(value) }), 200));
  };
  return html`<div class="search"><${Icon} name="search" /><input id="search" type="search" class="input" placeholder=${say('searchLinks')} aria-label=${say('searchLinks')} maxlength="48" autocomplete="off" spellcheck="false" value=${text} onInput=${(/** @type {any} */ event) => type(event.currentTarget.value)} />
    ${text ? html`<${IconButton} icon="close" label=${say('clear')} onClick=${() => type('')} />` : html`<kbd>/</kbd>`}</div>`;
}

/**
 * The keys of the list. They act on the row that has the focus, else on the one that `j` and `k` reached.
 * @param {any} props
 */
function useKeys({ links, place, selected, select, act }) {
  const current = () => {
    const focused = document.activeElement?.closest('.row')?.getAttribute('data-slug');
    return links.find((/** @type {Link} */ link) => keyOf(link) === focused) ?? links[place.current];
  };
  const move = (/** @type {number} */ by) => {
    const next = Math.max(0, Math.min(links.length - 1, place.current + by));
    place.current = next;
    /** @type {HTMLElement | null | undefined} */ (document.querySelectorAll('.list .row')[next]?.querySelector('.row-slug'))?.focus();
  };
  const on = (/** @type {(link: Link) => void} */ run) => () => { const link = current(); if (link) run(link); };
  const copy = async (/** @type {Link} */ link) => {
    if (await copyText(shortLink(link))) toast(say('copiedLink', { link: shortLink(link) }));
  };
  /** @type {[string, import('../words.js').Word, () => void][]} */
  const keys = [
    ['j', 'keyNextRow', () => move(1)],
    ['k', 'keyPreviousRow', () => move(-1)],
    ['e', 'edit', on((link) => act(link, 'edit'))],
    ['y', 'copyLink', on(copy)],
    ['q', 'qrCode', on((link) => act(link, 'qr'))],
    ['a', 'seeAnalytics', on((link) => go('analytics', { slug: keyOf(link) }))],
    ['x', 'keySelect', on((link) => select(links.indexOf(link), !selected.has(keyOf(link)), false))],
    ['Delete', 'delete', on((link) => act(link, 'delete'))],
  ];
  useEffect(() => addShortcuts(keys.map(([name, word, run]) => ({ keys: name, word, run, group: 'links', hidden: true }))));
}
