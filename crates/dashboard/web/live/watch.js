// Watches visits come in: by the stream while it lasts, else by asking.
import { events, stream } from '../api.js';
import { ApiError } from '../problem.js';
import { eventParser } from './events.js';
import { waitAfter } from './visits.js';

/** How often is asked when too many people watch the stream. */
const ASK_SECONDS = 10;

/**
 * @typedef {{ state: 'live' } | { state: 'polling' } | { state: 'waiting', seconds: number } | { state: 'starting' }} Standing
 * @param {{ which: { slug?: string, domain?: string }, signal: AbortSignal, onVisits: (visits: import('./visits.js').Visit[]) => void, onStanding: (standing: Standing) => void, onError: (error: any) => void }} how
 */
export async function watch({ which, signal, onVisits, onStanding, onError }) {
  for (let failures = 0; !signal.aborted;) {
    try {
      // What happened before the stream began.
      onVisits(await events({ limit: 100, ...which }, signal));
      const answer = await stream(which, signal);
      failures = 0;
      onStanding({ state: 'live' });
      await readAll(answer, (visit) => onVisits([visit]));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiError && error.code === 'too_many_watchers') {
        onStanding({ state: 'polling' });
        await pause(ASK_SECONDS, signal, () => {});
        continue;
      }
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) {
        onError(error);
        return;
      }
      failures += 1;
    }
    if (!signal.aborted) await pause(waitAfter(failures), signal, (seconds) => onStanding({ state: 'waiting', seconds }));
  }
}

/** @param {Response} answer @param {(visit: import('./visits.js').Visit) => void} onVisit */
async function readAll(answer, onVisit) {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const parse = eventParser();
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) return;
    for (const { name, data } of parse(piece.value)) {
      if (name === 'visit') onVisit(JSON.parse(data));
    }
  }
}

/** @param {number} seconds @param {AbortSignal} signal @param {(left: number) => void} onSecond */
async function pause(seconds, signal, onSecond) {
  for (let left = seconds; left > 0 && !signal.aborted; left -= 1) {
    onSecond(left);
    await new Promise((resolve) => { setTimeout(resolve, 1_000); });
  }
}
