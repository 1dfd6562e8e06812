// Things that float above the page: dialogs, the side panel, menus.
import { html, useEffect, useRef, useState } from '../view.js';
import { say } from '../words.js';
import { IconButton } from './controls.js';
import { Icon } from './icon.js';

/** Once a part of the page is gone that had the focus, gives it back to what had it before, or to the page. */
export function useFocusBack() {
  useEffect(() => {
    const before = document.activeElement;
    return () => setTimeout(() => {
      const { activeElement: now, body } = document;
      if (now !== null && now !== body) return;
      const opener = before?.isConnected && before !== body ? before : document.getElementById('main');
      /** @type {HTMLElement | null} */ (opener)?.focus({ preventScroll: true });
    });
  }, []);
}

/** What has the focus first: what asks for it, else the first field, else the first button at the foot, which cancels. */
const FIRST = ['[autofocus]', '.dialog-body :is(input, select, textarea)', '.dialog-foot button'];

/**
 * The browser's own dialog, which keeps the focus inside.
 * @param {{ title: string, onClose: () => void, class?: string, children: any, footer?: any, hideTitle?: boolean }} props
 */
export function Dialog({ title, onClose, class: name = '', children, footer, hideTitle }) {
  const element = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useFocusBack();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    const first = FIRST.map((css) => dialog?.querySelector(css)).find(Boolean);
    /** @type {HTMLElement | null | undefined} */ (first)?.focus();
    return () => dialog?.close();
  }, []);
  const cancel = (/** @type {Event} */ event) => { event.preventDefault(); onClose(); };
  const outside = (/** @type {MouseEvent} */ event) => { if (event.target === element.current) onClose(); };
  return html`<dialog ref=${element} class="dialog ${name}" aria-label=${title} onCancel=${cancel} onMouseDown=${outside}>
    <div class="dialog-box">
      ${!hideTitle && html`<header class="dialog-head"><h2>${title}</h2><${IconButton} icon="close" label=${say('close')} onClick=${onClose} /></header>`}
      <div class="dialog-body">${children}</div>
      ${footer && html`<footer class="dialog-foot">${footer}</footer>`}
    </div>
  </dialog>`;
}

/**
 * Asks before something that cannot be undone.
 * @param {{ title: string, text: any, action: string, onConfirm: () => void, onClose: () => void, busy?: boolean, children?: any }} props
 */
export function Confirm({ title, text, action, onConfirm, onClose, busy, children }) {
  const footer = html`<button type="button" class="button" autofocus onClick=${onClose}>${say('cancel')}</button>
    <button type="button" class="button danger" disabled=${busy} onClick=${onConfirm}>${action}</button>`;
  return html`<${Dialog} title=${title} class="small" onClose=${onClose} footer=${footer}><p>${text}</p>${children}<//>`;
}

/**
 * A button that opens a list of actions.
 * @param {{ label: string, button: any, class?: string, children: any }} props
 */
export function Menu({ label, button, class: name = '', children }) {
  const [open, setOpen] = useState(false);
  const root = useRef(/** @type {HTMLElement | null} */ (null));
  /** The button has the focus then, so that what an item opens can give it back. */
  const close = () => { setOpen(false); /** @type {HTMLElement | null | undefined} */ (root.current?.querySelector('button'))?.focus(); };
  useEffect(() => {
    if (!open) return undefined;
    const leave = (/** @type {Event} */ event) => { if (!root.current?.contains(/** @type {Node} */ (event.target))) setOpen(false); };
    const key = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      close();
    };
    addEventListener('pointerdown', leave);
    addEventListener('keydown', key, true);
    return () => { removeEventListener('pointerdown', leave); removeEventListener('keydown', key, true); };
  }, [open]);
  const move = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const items = [.../** @type {NodeListOf<HTMLElement>} */ (root.current?.querySelectorAll('.menu-list button:not(:disabled), .menu-list a, .menu-list input, .menu-list select') ?? [])];
    const place = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    items[(place + (event.key === 'ArrowDown' ? 1 : -1) + items.length) % items.length]?.focus();
  };
  return html`<span class="menu ${name}" ref=${root} onKeyDown=${move} onClick=${(/** @type {Event} */ event) => event.stopPropagation()}>
    <button type="button" class="menu-button" aria-label=${label} title=${label} aria-expanded=${open} onClick=${() => setOpen(!open)}>${button}</button>
    ${open && html`<div class="menu-list" onClick=${(/** @type {any} */ event) => { if (event.target.closest('[data-keep-open]') === null) close(); }}>${children}</div>`}
  </span>`;
}

/**
 * One that is off says why below its name.
 * @param {{ icon?: import('./icon.js').IconName, onClick: () => void, children: any, danger?: boolean, current?: boolean, keys?: string, off?: string }} props
 */
export function MenuItem({ icon, onClick, children, danger, current, keys, off }) {
  return html`<button type="button" class="menu-item ${danger ? 'danger' : ''}" aria-current=${current ? 'true' : undefined} disabled=${Boolean(off)} onClick=${onClick}>
    ${icon && html`<${Icon} name=${icon} />`}<span>${children}${off && html`<span class="menu-why">${off}</span>`}</span>${current && html`<${Icon} name="check" />`}${keys && html`<kbd>${keys}</kbd>`}
  </button>`;
}
