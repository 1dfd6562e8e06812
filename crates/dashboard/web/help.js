// The list of keys, printed from the keys themselves.
import { Dialog } from './parts/dialog.js';
import { currentShortcuts } from './shortcuts.js';
import { html } from './view.js';
import { say } from './words.js';

/** @type {Record<string, import('./words.js').Word>} */
const GROUPS = { everywhere: 'everywhere', links: 'pageLinks', analytics: 'pageAnalytics', live: 'pageLive' };

/** @param {{ onClose: () => void }} props */
export function Help({ onClose }) {
  const shortcuts = currentShortcuts();
  return html`<${Dialog} title=${say('shortcuts')} class="help" onClose=${onClose}>${Object.entries(GROUPS).map(([group, word]) => {
    const own = shortcuts.filter((shortcut) => shortcut.group === group);
    return own.length > 0 && html`<section key=${group}><h3>${say(word)}</h3><dl>${own.map(({ keys, word: what }) => html`<div key=${keys}><dt>${keys.replace('mod+', /Mac/.test(navigator.platform) ? '⌘ ' : 'Ctrl ').split(' ').map((key) => html`<kbd>${key}</kbd>`)}</dt><dd>${say(what)}</dd></div>`)}</dl></section>`;
  })}<//>`;
}
