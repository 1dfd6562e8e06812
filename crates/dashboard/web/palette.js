// One field that finds pages, actions and links.
import { searchLinks } from './api.js';
import { keyOf, shownKey } from './links/key.js';
import { viewOf } from './links/pasted.js';
import { Dialog } from './parts/dialog.js';
import { Icon } from './parts/icon.js';
import { speak } from './shell.js';
import { currentShortcuts } from './shortcuts.js';
import { THEMES, theme } from './state/choices.js';
import { several } from './state/domains.js';
import { lacking, refusalOfCheck, refusalOfExport, refusalOfNew } from './state/refusal.js';
import { go } from './state/router.js';
import { may } from './state/session.js';
import { bare, middleCut } from './text/shorten.js';
import { html, useEffect, useState } from './view.js';
import { LANGUAGES, say } from './words.js';

/** @typedef {{ key: string, icon: import('./parts/icon.js').IconName, text: string, more?: string, keys?: string, run: () => void }} Entry */

/** What is behind menus, and found by its name alone. @returns {Entry[]} */
function hidden() {
  const lists = /** @type {const} */ ([['import', 'up', refusalOfNew.value], ['export', 'down', refusalOfExport.value], ['check', 'check', refusalOfCheck.value]]);
  const parts = /** @type {const} */ ([['domains', lacking('links:read')], ['tokens', lacking('admin')]]);
  return [
    ...lists.filter(([, , why]) => !why).map(([what, icon]) => ({ key: what, icon, text: say(what === 'check' ? 'checkLinks' : what), run: () => go('links', { do: what }) })),
    ...parts.filter(([, why]) => !why).map(([word]) => ({ key: word, icon: /** @type {const} */ ('plug'), text: say(word), run: () => go('setup') })),
    ...THEMES.map(([name, word]) => ({ key: name, icon: /** @type {const} */ ('right'), text: `${say('theme')}: ${say(word)}`, run: () => { theme.value = name; } })),
    ...LANGUAGES.map(([tag, name]) => ({ key: tag, icon: /** @type {const} */ ('right'), text: `${say('language')}: ${name}`, run: () => { speak(tag); } })),
  ];
}

/** @param {{ onClose: () => void }} props */
export function Palette({ onClose }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState(/** @type {Entry[]} */ ([]));
  const [place, setPlace] = useState(0);
  useEffect(() => {
    // A short link is found by its slug; more than this the API does not take.
    const q = (viewOf(text)?.q ?? bare(text.trim())).slice(0, 48);
    if (!q || !may('links:read')) { setFound([]); return undefined; }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      searchLinks({ q, limit: 8, status: 'all', domain: several.value ? '*' : '' }, abort.signal).then((links) => setFound(links.map((link) => ({ key: `link ${keyOf(link)}`, icon: 'link', text: shownKey(keyOf(link)), more: middleCut(bare(link.url), 48), run: () => go('links', { edit: keyOf(link) }) }))), () => {});
    }, 150);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [text]);
  const actions = currentShortcuts().filter(({ hidden }) => !hidden).map(({ keys, word, run }) => ({ key: keys, icon: /** @type {const} */ ('right'), text: say(word), keys, run }));
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const pasted = refusalOfNew.value === '' && viewOf(text)?.url;
  /** @type {Entry[]} */
  const makes = pasted ? [{ key: 'pasted', icon: 'add', text: say('shorten'), more: middleCut(bare(pasted), 48), run: () => go('links', { new: '1', url: pasted }) }] : [];
  const named = [...actions, ...(wanted.length > 0 ? hidden() : [])].filter((entry) => wanted.every((word) => entry.text.toLowerCase().includes(word)));
  const entries = /** @type {Entry[]} */ ([...makes, ...named, ...found]);
  const at = Math.min(place, entries.length - 1);
  const choose = (/** @type {Entry | undefined} */ entry) => { if (entry) { onClose(); entry.run(); } };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) { event.preventDefault(); setPlace(Math.max(0, Math.min(entries.length - 1, at + by))); }
    if (event.key === 'Enter') { event.preventDefault(); choose(entries[at]); }
  };
  return html`<${Dialog} title=${say('jump')} class="palette" hideTitle onClose=${onClose}>
    <div class="palette-field"><${Icon} name="search" /><input autofocus role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant=${entries[at] ? `palette-${at}` : undefined} aria-label=${say('jump')} placeholder=${say('jump')} autocomplete="off" spellcheck="false" value=${text} onInput=${(/** @type {any} */ event) => { setText(event.currentTarget.value); setPlace(0); }} onKeyDown=${keys} /></div>
    <ul id="palette-list" role="listbox" aria-label=${say('jump')} class="palette-list">${entries.map((entry, n) => html`<li key=${entry.key} id="palette-${n}" role="option" aria-selected=${n === at} class=${n === at ? 'on' : ''} onClick=${() => choose(entry)} onMouseMove=${() => setPlace(n)}><${Icon} name=${entry.icon} /><span class=${entry.icon === 'link' ? 'mono' : ''}>${entry.text}</span>${entry.more && html`<span class="palette-more">${entry.more}</span>`}${entry.keys && html`<kbd>${entry.keys}</kbd>`}</li>`)}
    ${entries.length === 0 && html`<li class="palette-none" role="option" aria-selected="false">${say('nothingFound')}</li>`}</ul><//>`;
}
