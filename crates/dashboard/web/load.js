// What a part of the page loads, and how that is going.
import { returns } from './state/refusal.js';
import { useEffect, useRef, useState } from './view.js';

/**
 * @template T
 * @typedef {{ data: T | undefined, error: Error | undefined, loading: boolean, again: () => void }} Loaded
 */

/**
 * Loads whenever the key changes, and when links that were locked are back. The
 * last data stay while new are on their way, and an answer that was overtaken is
 * dropped.
 * @template T
 * @param {string} key @param {(signal: AbortSignal) => Promise<T>} request
 * @returns {Loaded<T>}
 */
export function useLoaded(key, request) {
  const [state, setState] = useState(/** @type {{ data: T | undefined, error: Error | undefined, loading: boolean }} */ ({ data: undefined, error: undefined, loading: true }));
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(request);
  latest.current = request;
  useEffect(() => {
    const abort = new AbortController();
    setState((/** @type {any} */ before) => ({ ...before, loading: true }));
    latest.current(abort.signal).then(
      (data) => { if (!abort.signal.aborted) setState({ data, error: undefined, loading: false }); },
      (error) => { if (!abort.signal.aborted) setState((/** @type {any} */ before) => ({ data: before.data, error, loading: false })); },
    );
    return () => abort.abort();
  }, [key, attempt, returns.value]);
  return { ...state, again: () => setAttempt((/** @type {number} */ n) => n + 1) };
}
