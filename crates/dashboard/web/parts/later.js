// Parts of a page that are fetched when they are first shown, or before, when the
// page has nothing else to fetch.
import { fetchPart } from '../fetching.js';
import { awaited } from '../state/busy.js';
import { html, useEffect, useState } from '../view.js';
import { ErrorNote } from './notes.js';

/**
 * A component that stands for one of another module.
 * @param {(again: string) => Promise<any>} load Imports the module. @param {string} name Of the component.
 */
export function later(load, name) {
  /** @type {any} */
  let part;
  /** @type {Promise<void> | undefined} */
  let fetching;
  const ask = () => (fetching ??= fetchPart(load).then((found) => { part = found[name]; }, (error) => { fetching = undefined; throw error; }));
  /** @param {any} props */
  function Later(props) {
    const [error, setError] = useState(/** @type {any} */ (undefined));
    const [, redraw] = useState(0);
    const attempt = () => { awaited(ask()).then(() => redraw(1), setError); };
    useEffect(() => { if (!part) attempt(); }, []);
    if (part) return html`<${part} ...${props} />`;
    return error ? html`<div class="toasts"><${ErrorNote} error=${error} again=${attempt} /></div>` : '';
  }
  /** Fetches it ahead. Whoever shows it hears of a failure. */
  Later.prepare = () => { ask().catch(() => {}); };
  return Later;
}

/**
 * Runs once a person is there, who may want next what nobody needs before.
 * @param {() => void} run @returns {() => void} Ends the waiting.
 */
export function onFirstStir(run) {
  const waiting = new AbortController();
  const stir = () => { waiting.abort(); run(); };
  for (const event of ['pointermove', 'pointerdown', 'keydown']) addEventListener(event, stir, { signal: waiting.signal });
  return () => waiting.abort();
}
