// Who changed what.
import { addressOf } from '../address.js';
import { listAudit } from '../api.js';
import { shownKey, typedKey } from '../links/key.js';
import { publicHost } from '../links/short-link.js';
import { usePages } from '../load.js';
import { Chip, Select } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { More } from '../parts/more.js';
import { Empty, ErrorNote } from '../parts/notes.js';
import { domain } from '../state/domains.js';
import { change, follow, go, view } from '../state/router.js';
import { html, useRef, useState } from '../view.js';
import { say } from '../words.js';
import { Line, callerName } from './line.js';
import { OPERATIONS, auditQuery, filterOf, namesOf } from './query.js';

export function AuditPage() {
  const filter = filterOf(view.value.query);
  const [stamp, setStamp] = useState(0);
  const list = usePages(JSON.stringify([filter, stamp]), async (cursor, signal) => {
    const page = await listAudit(auditQuery(filter, cursor), signal);
    return { rows: page.lines, cursor: page.cursor, complete: page.list_complete };
  });
  const lines = list.rows;
  /** Everybody who was seen so far, also with another filter. */
  const callers = useRef(/** @type {Set<string>} */ (new Set())).current;
  for (const { caller } of lines) callers.add(caller);
  const filtered = Object.values(filter).some(Boolean);
  const nothing = !list.loading && !list.error && lines.length === 0;
  return html`<div class="page audit"><h1 class="off-screen">${say('pageAudit')}</h1>
    <div class="toolbar">
      <${SlugField} value=${filter.slug ?? ''} />
      <${Select} label=${say('auditCaller')} value=${filter.caller ?? ''} onChange=${(/** @type {string} */ caller) => change({ caller: caller || undefined })}
        options=${[['', say('anyCaller')], ...namesOf(callers, filter.caller).map((name) => [name, callerName(name)])]} />
      <${Select} label=${say('auditOperation')} value=${filter.operation ?? ''} onChange=${(/** @type {string} */ operation) => change({ operation: operation || undefined })}
        options=${[['', say('anyOperation')], ...OPERATIONS.map(([name, word]) => [name, say(word)])]} />
      <${Day} name="from" label=${say('from')} value=${filter.from} /><${Day} name="until" label=${say('to')} value=${filter.until} />
    </div>
    ${filter.slug && html`<div class="chips"><${Chip} text=${shownKey(filter.slug)} label=${say('removeFilter')} onRemove=${() => change({ slug: undefined })} /><a class="text-button" href=${addressOf('links', { edit: filter.slug })} onClick=${(/** @type {MouseEvent} */ event) => follow(event, 'links', { edit: filter.slug })}><${Icon} name="edit" />${say('editLink')}</a></div>`}
    ${list.error && html`<${ErrorNote} error=${list.error} again=${() => setStamp(stamp + 1)} />`}
    ${nothing && (filtered
      ? html`<${Empty} icon="search" title=${say('auditNothing')}><button type="button" class="button" onClick=${() => go('audit')}>${say('clearFilters')}</button><//>`
      : html`<div class="card"><${Empty} icon="clock" title=${say('auditEmpty')} text=${say('auditEmptyText')}><button type="button" class="button primary" onClick=${() => go('links', { new: '1' })}><${Icon} name="add" />${say('newLink')}</button><//></div>`)}
    ${lines.length > 0 && html`<ol class="audit-lines ${list.loading ? 'stale' : ''}">${lines.map((line, at) => html`<${Line} key=${at} line=${line} />`)}</ol>`}
    ${!list.complete && lines.length > 0 && html`<${More} onMore=${list.more} loading=${list.loading} />`}
  </div>`;
}

/** Takes a slug when the person leaves the field or presses Enter. @param {{ value: string }} props */
function SlugField({ value }) {
  return html`<div class="search"><${Icon} name="search" /><input id="search" type="search" class="input" placeholder=${say('auditSlug')} aria-label=${say('auditSlug')} autocomplete="off" autocapitalize="off" spellcheck="false" value=${value}
    onChange=${(/** @type {any} */ event) => change({ slug: typedKey(event.currentTarget.value, domain.value, publicHost()) || undefined })} /><kbd>/</kbd></div>`;
}

/** @param {{ name: 'from' | 'until', label: string, value: string | undefined }} props */
function Day({ name, label, value }) {
  return html`<label class="audit-day"><span>${label}</span><input type="date" class="input" value=${value ?? ''} onChange=${(/** @type {any} */ event) => change({ [name]: event.currentTarget.value || undefined })} /></label>`;
}
