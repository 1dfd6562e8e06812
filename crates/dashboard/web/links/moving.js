// Links that are being moved here from an older store: how far that is. The list
// comes back by itself.
import { migrationStatus } from '../api.js';
import { Icon } from '../parts/icon.js';
import { unlock } from '../state/refusal.js';
import { html, useEffect, useState } from '../view.js';
import { say } from '../words.js';

/** How often is asked how far it is. */
const ASK_MS = 2_000;

export function Moving() {
  const [run, setRun] = useState(/** @type {import('../state/refusal.js').Run | undefined} */ (undefined));
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    const ask = async () => {
      try {
        const status = await migrationStatus(abort.signal);
        if (status.completed) return unlock();
        setRun(status.run);
      } catch {
        // Not to be had at the moment: asked again like any other time.
      }
      if (!abort.signal.aborted) timer = Number(setTimeout(ask, ASK_MS));
    };
    ask();
    return () => { abort.abort(); clearTimeout(timer); };
  }, []);
  return html`<section class="card moving" role="status"><span class="first-mark"><${Icon} name="down" /></span>
    <h2>${say('movingTitle')}</h2><p class="first-text">${say('migrating')}</p>
    <progress class="progress" aria-label=${say('movingTitle')}></progress>
    <p class="moving-count">${run ? say('movedSoFar', { moved: run.inserted, looked: run.scanned }) : say('movingWaits')}${run && run.failed > 0 ? ` ${say('movedFailed', { n: run.failed })}` : ''}</p></section>`;
}
