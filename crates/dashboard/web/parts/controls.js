// Buttons, fields and chips.
import { html, useRef, useState } from '../view.js';
import { say } from '../words.js';
import { Icon } from './icon.js';

/**
 * A button that is an icon; its label is read out and shown as a hint.
 * @param {{ icon: import('./icon.js').IconName, label: string, onClick: (event: MouseEvent) => void, pressed?: boolean, disabled?: boolean, class?: string }} props
 */
export function IconButton({ icon, label, onClick, pressed, disabled, class: name = '' }) {
  return html`<button type="button" class="icon-button ${name}" aria-label=${label} title=${label} aria-pressed=${pressed} disabled=${disabled} onClick=${onClick}><${Icon} name=${icon} /></button>`;
}

/**
 * A labelled field. An error names the fault below it.
 * @param {{ label: string, id: string, hint?: any, error?: string, optional?: boolean, children: any }} props
 */
export function Field({ label, id, hint, error, children }) {
  return html`<div class="field ${error ? 'has-error' : ''}">
    <label for=${id}>${label}</label>
    ${children}
    ${hint && !error && html`<div class="hint" id="${id}-hint">${hint}</div>`}
    ${error && html`<div class="field-error" id="${id}-error" role="alert">${error}</div>`}
  </div>`;
}

/**
 * @param {{ id: string, value: string, onInput: (value: string) => void, error?: string, hint?: any } & Record<string, any>} props
 */
export function TextInput({ id, value, onInput, error, hint, class: name = '', ...rest }) {
  const described = error ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return html`<input id=${id} class="input ${name}" value=${value} aria-invalid=${error ? 'true' : undefined} aria-describedby=${described}
    onInput=${(/** @type {any} */ event) => onInput(event.currentTarget.value)} ...${rest} />`;
}

/** @param {{ label: any, checked: boolean, onChange: (checked: boolean) => void, hint?: string }} props */
export function Check({ label, checked, onChange, hint, ...rest }) {
  return html`<label class="check"><input type="checkbox" checked=${checked} onChange=${(/** @type {any} */ event) => onChange(event.currentTarget.checked)} ...${rest} />
    <span>${label}${hint && html`<span class="hint">${hint}</span>`}</span></label>`;
}

/**
 * A list to choose from that looks like a button.
 * @param {{ label: string, value: string, options: readonly (readonly [string, string])[], onChange: (value: string) => void, class?: string }} props
 */
export function Select({ label, value, options, onChange, class: name = '' }) {
  return html`<span class="select ${name}"><select aria-label=${label} value=${value} onChange=${(/** @type {any} */ event) => onChange(event.currentTarget.value)}>
    ${options.map(([key, text]) => html`<option key=${key} value=${key} selected=${key === value}>${text}</option>`)}
  </select><${Icon} name="chevron" /></span>`;
}

/**
 * One of a few, all in sight.
 * @param {{ label: string, value: string, options: readonly (readonly [string, any])[], onChange: (value: string) => void }} props
 */
export function Segments({ label, value, options, onChange }) {
  return html`<div class="segments" role="group" aria-label=${label}>
    ${options.map(([key, text]) => html`<button key=${key} type="button" aria-pressed=${key === value} onClick=${() => onChange(key)}>${text}</button>`)}
  </div>`;
}

/** @param {{ text: any, label: string, onRemove: () => void }} props */
export function Chip({ text, label, onRemove }) {
  return html`<span class="chip removable">${text}<button type="button" aria-label=${label} title=${label} onClick=${onRemove}><${Icon} name="close" /></button></span>`;
}

/**
 * Copies a text, and says so in its own place.
 * @param {{ text: string, label?: string, class?: string, children?: any }} props
 */
export function CopyButton({ text, label, class: name = '', children }) {
  const [done, setDone] = useState(false);
  const timer = useRef(0);
  const wording = label ?? say('copy');
  const click = async (/** @type {MouseEvent} */ event) => {
    event.stopPropagation();
    setDone(await copyText(text));
    clearTimeout(timer.current);
    timer.current = Number(setTimeout(() => setDone(false), 1_600));
  };
  const icon = html`<${Icon} name=${done ? 'check' : 'copy'} />`;
  return children
    ? html`<button type="button" class="button ${name}" onClick=${click}>${icon}${done ? say('copied') : children}</button>`
    : html`<button type="button" class="icon-button ${done ? 'is-done' : ''} ${name}" aria-label=${done ? say('copied') : wording} title=${wording} onClick=${click}>${icon}</button>`;
}

/**
 * Browsers give pages of plain http no clipboard, but still copy what is selected.
 * @param {string} text @returns {Promise<boolean>}
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'off-screen';
    const host = document.querySelector('dialog[open]') ?? document.body;
    host.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}
