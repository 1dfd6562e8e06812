// Tags as chips with a field at the end.
import { Icon } from './icon.js';
import { html, useState } from '../view.js';
import { say } from '../words.js';

/** @param {{ id: string, tags: string[], known: string[], onChange: (tags: string[]) => void }} props */
export function TagInput({ id, tags, known, onChange }) {
  const [text, setText] = useState('');
  const add = (/** @type {string} */ typed) => {
    const added = typed.split(',').map((tag) => tag.trim().toLowerCase().normalize()).filter((tag) => tag && !tags.includes(tag));
    if (added.length > 0) onChange([...tags, ...new Set(added)]);
    setText('');
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if ((event.key === 'Enter' && !event.metaKey && !event.ctrlKey) || event.key === ',') {
      if (text.trim() === '') return;
      event.preventDefault();
      add(text);
    }
    if (event.key === 'Backspace' && text === '' && tags.length > 0) onChange(tags.slice(0, -1));
  };
  const input = (/** @type {any} */ event) => {
    const { value } = event.currentTarget;
    // One that was chosen from the list arrives whole.
    if (known.includes(value) && event.inputType === 'insertReplacementText') add(value);
    else setText(value);
  };
  return html`<div class="input tag-input">${tags.map((tag) => html`<span key=${tag} class="chip removable">${tag}<button type="button" aria-label=${say('removeTag', { tag })} onClick=${() => onChange(tags.filter((other) => other !== tag))}><${Icon} name="close" /></button></span>`)}
    <input id=${id} list="${id}-known" value=${text} placeholder=${tags.length === 0 ? say('addTag') : ''} autocomplete="off" maxlength="32" onInput=${input} onKeyDown=${keys} onBlur=${() => text.trim() && add(text)} />
    <datalist id="${id}-known">${known.filter((tag) => !tags.includes(tag)).map((tag) => html`<option key=${tag} value=${tag} />`)}</datalist></div>`;
}
