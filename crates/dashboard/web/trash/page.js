// Deleted links, which can be brought back for a while.
import { listTrash, purgeLink, restoreLink } from '../api.js';
import { callerName } from '../audit/line.js';
import { keyOf, shownKey } from '../links/key.js';
import { usePages } from '../load.js';
import { Address } from '../parts/address.js';
import { Field, Select, TextInput } from '../parts/controls.js';
import { Confirm, Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { More } from '../parts/more.js';
import { Empty, ErrorNote, wording } from '../parts/notes.js';
import { ApiError } from '../problem.js';
import { ALL } from '../state/domain-choice.js';
import { domain, domainName, domainOptions, several } from '../state/domains.js';
import { reason, refusalOfChange, refusalOfErasure } from '../state/refusal.js';
import { go } from '../state/router.js';
import { toast } from '../state/toasts.js';
import { hasTrash } from '../state/trash.js';
import { html, useState } from '../view.js';
import { figures, say } from '../words.js';

/** @typedef {import('../api.js').Schemas['TrashedLink']} Trashed */
/** @typedef {import('../links/key.js').Key} Key */
/** @typedef {{ entry: Trashed, asks: 'slug' | 'domain', to: Partial<Key> }} Other A link that cannot have its key again. */

const PAGE_SIZE = 50;

export function TrashPage() {
  const [stamp, setStamp] = useState(0);
  // Links of domains that were taken away are there, too, if nobody can choose one.
  const within = several.value ? domain.value : ALL;
  const list = usePages(JSON.stringify([within, stamp]), async (cursor, signal) => {
    const page = await listTrash({ limit: PAGE_SIZE, domain: within, cursor }, signal);
    return { rows: page.links, cursor: page.cursor, complete: page.list_complete };
  });
  const [purging, setPurging] = useState(/** @type {Trashed | undefined} */ (undefined));
  const [other, setOther] = useState(/** @type {Other | undefined} */ (undefined));
  const refresh = () => setStamp(stamp + 1);
  const restore = async (/** @type {Trashed} */ entry, /** @type {Partial<Key>} */ to) => {
    const { link, version } = entry;
    try {
      const { link: { slug, domain } } = await restoreLink({ id: link.id, version, ...to });
      const back = keyOf({ slug, domain });
      setOther(undefined);
      toast(say('broughtBack', { link: shownKey(back) }), 'good', { text: say('edit'), run: () => go('links', { edit: back }) });
      refresh();
    } catch (/** @type {any} */ error) {
      if (error.status === 409 && error.freeSlug) setOther({ entry, asks: 'slug', to: { ...to, slug: error.freeSlug } });
      else if (isOfDomain(error)) setOther({ entry, asks: 'domain', to: { ...to, domain: '' } });
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
  const nothing = !list.loading && !list.error && list.rows.length === 0;
  return html`<div class="page trash"><h1>${say('pageTrash')}</h1>
    ${list.error && html`<${ErrorNote} error=${list.error} again=${refresh} />`}
    ${nothing && html`<div class="card"><${Empty} icon="trash" title=${say('trashEmpty')} text=${hasTrash.value ? say('trashEmptyText') : undefined} /></div>`}
    ${list.rows.length > 0 && html`<ul class="trash-list ${list.loading ? 'stale' : ''}">${list.rows.map((entry) => html`<${Entry} key=${entry.link.id} entry=${entry} onRestore=${() => restore(entry, {})} onPurge=${() => setPurging(entry)} />`)}</ul>`}
    ${!list.complete && list.rows.length > 0 && html`<${More} onMore=${list.more} loading=${list.loading} />`}
    ${purging && html`<${Confirm} title=${say('deleteTitle', { link: shownKey(keyOf(purging.link)) })} text=${say('purgeText')} action=${say('deleteForGood')} onConfirm=${() => purge(purging)} onClose=${() => setPurging(undefined)} />`}
    ${other && html`<${OtherKey} key=${other.asks} ...${other} onChoose=${(/** @type {Partial<Key>} */ to) => restore(other.entry, to)} onClose=${() => setOther(undefined)} />`}
  </div>`;
}

/** @param {{ entry: Trashed, onRestore: () => void, onPurge: () => void }} props */
function Entry({ entry: { link, deletedAt, deletedBy, until }, onRestore, onPurge }) {
  const [change, erase] = [reason(refusalOfChange.value), reason(refusalOfErasure.value)];
  return html`<li class="trash-entry">
    <span class="trash-link"><span class="mono">${(several.value || link.domain) && html`<span class="row-host">${domainName(link.domain)}</span>`}/${link.slug}</span><${Address} url=${link.url} /></span>
    <span class="trash-when">${say('deletedBy', { when: figures.value.moment(deletedAt), who: callerName(deletedBy) })} · ${say('keptUntil', { when: figures.value.moment(until) })}</span>
    <span class="trash-actions"><button type="button" class="button" disabled=${Boolean(change)} title=${change} onClick=${onRestore}>${say('bringBack')}</button>
      <button type="button" class="button danger" disabled=${Boolean(erase)} title=${erase} onClick=${onPurge}><${Icon} name="trash" />${say('deleteForGood')}</button></span>
  </li>`;
}

/** Whether the domain of a link was taken away. @param {unknown} error */
const isOfDomain = (error) => error instanceof ApiError && error.issues.some(({ path }) => path[0] === 'domain');

/** @param {Omit<Other, 'entry'> & { onChoose: (to: Partial<Key>) => void, onClose: () => void }} props */
function OtherKey({ asks, to, onChoose, onClose }) {
  const [slug, setSlug] = useState(to.slug ?? '');
  const [host, setHost] = useState(to.domain ?? '');
  const chosen = asks === 'slug' ? { ...to, slug: slug.trim() } : { ...to, domain: host };
  const footer = html`<button type="button" class="button" onClick=${onClose}>${say('cancel')}</button>
    <button type="button" class="button primary" disabled=${chosen.slug === ''} onClick=${() => onChoose(chosen)}>${say('bringBack')}</button>`;
  return html`<${Dialog} title=${say('bringBack')} class="small" onClose=${onClose} footer=${footer}>${asks === 'slug'
    ? html`<${Field} label=${say('otherSlug')} id="other-slug"><${TextInput} id="other-slug" value=${slug} autocomplete="off" autocapitalize="off" spellcheck="false" onInput=${setSlug} /><//>`
    : html`<div class="field"><span class="label">${say('otherDomain')}</span><${Select} label=${say('otherDomain')} class="other-domain" value=${host} onChange=${setHost} options=${domainOptions()} /></div>`}<//>`;
}
