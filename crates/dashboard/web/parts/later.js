// Parts of a page that are fetched when they are first shown, or before, when the
// page has nothing else to fetch.
import { awaited } from '../state/busy.js';
import { toast } from '../state/toasts.js';
import { html, useEffect, useState } from '../view.js';
import { say } from '../words.js';

/**
 * A component that stands for one of another module.
 * @param {() => Promise<any>} load Resolves to the component.
 */
export function later(load) {
  /** @type {any} */
  let part;
  /** @type {Promise<void> | undefined} */
  let fetching;
  const fetchPart = () => (fetching ??= load().then((found) => { part = found; }, (error) => { fetching = undefined; throw error; }));
  /** @param {any} props */
  function Later(props) {
    const [, redraw] = useState(0);
    useEffect(() => {
      if (!part) awaited(fetchPart()).then(() => redraw(1), () => toast(say('unreachable'), 'bad'));
    }, []);
    return part ? html`<${part} ...${props} />` : '';
  }
  /** Fetches it ahead. Whoever shows it hears of a failure. */
  Later.prepare = () => { fetchPart().catch(() => {}); };
  return Later;
}
