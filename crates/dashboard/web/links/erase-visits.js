// Erasing the visits of one link, once its slug was typed.
import { eraseVisits } from '../api.js';
import { Field, TextInput } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { ErrorNote } from '../parts/notes.js';
import { reason, refusalOfErasure } from '../state/refusal.js';
import { toast } from '../state/toasts.js';
import { html, useState } from '../view.js';
import { say } from '../words.js';
import { keyOf, shownKey } from './key.js';

/** @param {{ link: import('./key.js').Key }} props */
export function EraseVisits({ link }) {
  const [asking, setAsking] = useState(false);
  const refusal = refusalOfErasure.value;
  return html`<div class="field erase-visits"><button type="button" class="button danger" disabled=${Boolean(refusal)} aria-describedby=${refusal ? 'erase-why' : undefined} onClick=${() => setAsking(true)}>${say('eraseVisits')}</button>
    ${refusal && html`<p class="hint" id="erase-why">${reason(refusal)}</p>`}
    ${asking && html`<${EraseDialog} link=${link} onClose=${() => setAsking(false)} />`}</div>`;
}

/** @param {{ link: import('./key.js').Key, onClose: () => void }} props */
function EraseDialog({ link, onClose }) {
  const { slug } = link;
  const shown = shownKey(keyOf(link));
  const [typed, setTyped] = useState('');
  const [working, setWorking] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const erase = async () => {
    if (working || typed.trim() !== slug) return;
    setWorking(true);
    setError(undefined);
    try {
      const { erased } = await eraseVisits(link);
      toast(say(erased ? 'eraseDone' : 'eraseKept', { link: shown }));
      onClose();
    } catch (failure) {
      setError(failure);
      setWorking(false);
    }
  };
  // The dialog stands in the form of the link, which keys may not send or close.
  const keys = (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation();
    if (event.key !== 'Enter' || /** @type {Element} */ (event.target).tagName !== 'INPUT') return;
    event.preventDefault();
    erase();
  };
  const footer = html`<button type="button" class="button" onClick=${onClose}>${say('cancel')}</button>
    <button type="button" class="button danger" disabled=${working || typed.trim() !== slug} onClick=${erase}>${say('eraseAction')}</button>`;
  return html`<div onKeyDown=${keys}><${Dialog} title=${say('eraseTitle', { link: shown })} class="small" onClose=${onClose} footer=${footer}>
    <p>${say('eraseText')}</p>
    <${Field} label=${say('eraseType', { slug })} id="erase-slug"><${TextInput} id="erase-slug" value=${typed} autocomplete="off" autocapitalize="off" spellcheck="false" onInput=${setTyped} /><//>
    ${error && html`<${ErrorNote} error=${error} />`}
  <//></div>`;
}
