// Who changed a link, when and what, and the way back to an older version.
import { linkHistory, restoreLink } from '../api.js';
import { callerName } from '../audit/line.js';
import { Dialog } from '../parts/dialog.js';
import { ErrorNote, wording } from '../parts/notes.js';
import { useLoaded } from '../load.js';
import { reason, refusalOfChange } from '../state/refusal.js';
import { toast } from '../state/toasts.js';
import { html, useState } from '../view.js';
import { figures, say } from '../words.js';
import { partsOf, shownKey } from './key.js';

/** @param {{ name: string, onClose: () => void, onChange: () => void }} props `name` is the key of the link. */
export function HistoryDialog({ name, onClose, onChange }) {
  const [stamp, setStamp] = useState(0);
  const history = useLoaded(`history ${name} ${stamp}`, (signal) => linkHistory(partsOf(name), signal));
  const refusal = reason(refusalOfChange.value);
  const restore = async (/** @type {number} */ version) => {
    try {
      await restoreLink({ id: /** @type {any} */ (history.data).id, version });
      toast(say('broughtBack', { link: shownKey(name) }));
      setStamp(stamp + 1);
      onChange();
    } catch (error) {
      toast(wording(error), 'bad');
    }
  };
  return html`<${Dialog} title=${`${say('history')}: ${shownKey(name)}`} class="history" onClose=${onClose}>
    ${history.error && html`<${ErrorNote} error=${history.error} again=${history.again} />`}
    <ol class="versions">${history.data?.versions.map((version) => html`<li key=${version.version} class="version">
      <div class="version-head"><strong>${figures.value.moment(version.at)}</strong><span>${version.by ? callerName(version.by) : say('historyFirst')}</span>
        ${version.current ? html`<span class="badge">${say('nowShown')}</span>` : html`<button type="button" class="button" disabled=${Boolean(refusal)} title=${refusal} onClick=${() => restore(version.version)}>${say('bringBack')}</button>`}</div>
      ${version.members.length > 0 && html`<dl class="version-members">${version.members.map(({ name: member, old, new: now }) => html`<div key=${member}><dt class="mono">${member}</dt><dd><del>${shown(old)}</del> <ins>${shown(now)}</ins></dd></div>`)}</dl>`}
    </li>`)}</ol><//>`;
}

/** A member as it is on the wire; nothing for one that was not there. @param {unknown} value */
function shown(value) {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
