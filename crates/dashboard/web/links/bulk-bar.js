// What can be done with the links that are selected.
import { comparable } from '../analytics/comparable.js';
import { Icon } from '../parts/icon.js';
import { addShortcuts } from '../shortcuts.js';
import { reason, refusalOfChange, refusalOfExport } from '../state/refusal.js';
import { go } from '../state/router.js';
import { html, useEffect, useState } from '../view.js';
import { say } from '../words.js';
import { BulkDialog } from './bulk-dialog.js';
import { saveExport } from './export.js';

/**
 * @param {object} props
 * @param {string[]} props.keys Those that are selected in the list.
 * @param {import('./batch.js').Target | undefined} props.everything All that match the filters, when that was chosen.
 * @param {number} props.matching How many match them.
 * @param {import('../api.js').Link[]} props.links Those of the list.
 * @param {{ name: string }[]} props.tags
 * @param {() => void} props.onEverything
 * @param {() => void} props.onDone
 * @param {() => void} props.onChange
 * @param {() => void} props.onClear
 */
export function BulkBar({ keys, everything, matching, links, tags, onEverything, onDone, onChange, onClear }) {
  const [action, setAction] = useState(/** @type {import('./bulk-dialog.js').Action | undefined} */ (undefined));
  useEffect(() => addShortcuts([{ keys: 'Escape', word: 'clearSelection', group: 'links', hidden: true, run: onClear }]));
  const why = reason(refusalOfChange.value);
  const whyNoExport = reason(refusalOfExport.value);
  const off = { disabled: Boolean(why), 'aria-describedby': why ? 'bulk-why' : undefined };
  const count = everything ? matching : keys.length;
  return html`<div class="bulk" role="region" aria-label=${say('selection')}>
    <div class="bulk-head"><strong>${say('selected', { n: count })}</strong>
      ${!everything && matching > keys.length && html`<button type="button" class="text-button bulk-all" onClick=${onEverything}>${say('selectMatching', { n: matching })}</button>`}
      <button type="button" class="icon-button push" aria-label=${say('clearSelection')} title=${say('clearSelection')} onClick=${onClear}><${Icon} name="close" /></button></div>
    ${!everything && html`<button type="button" class="button" disabled=${!comparable(keys)} title=${comparable(keys) ? undefined : say('compareHint')} onClick=${() => go('analytics', { slug: keys.join(',') })}><${Icon} name="bars" />${say('compare')}</button>`}
    <button type="button" class="button" ...${off} onClick=${() => setAction('add')}><${Icon} name="tag" />${say('addTag')}</button>
    <button type="button" class="button" ...${off} onClick=${() => setAction('remove')}>${say('removeTagAction')}</button>
    <button type="button" class="button" ...${off} onClick=${() => setAction('expiry')}><${Icon} name="clock" />${say('setExpiry')}</button>
    ${!everything && html`<button type="button" class="button" disabled=${Boolean(whyNoExport)} title=${whyNoExport || undefined} onClick=${() => saveExport(new Set(keys))}><${Icon} name="down" />${say('export')}</button>`}
    <button type="button" class="button danger" ...${off} onClick=${() => setAction('delete')}><${Icon} name="trash" />${say('delete')}</button>
    ${why && html`<p class="bulk-why" id="bulk-why">${why}</p>`}
    ${action && html`<${BulkDialog} action=${action} target=${everything ?? { keys }} count=${count} links=${links} known=${tags.map(({ name }) => name)} onChange=${onChange} onClose=${() => setAction(undefined)} onDone=${() => { setAction(undefined); onDone(); }} />`}
  </div>`;
}
