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
 * dropped. An empty key loads nothing.
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
    if (key === '') return undefined;
    const abort = new AbortController();
    // Whoever is loading is not drawn again for that.
    setState((/** @type {any} */ before) => (before.loading ? before : { ...before, loading: true }));
    latest.current(abort.signal).then(
      (data) => { if (!abort.signal.aborted) setState({ data, error: undefined, loading: false }); },
      (error) => { if (!abort.signal.aborted) setState((/** @type {any} */ before) => ({ data: before.data, error, loading: false })); },
    );
    return () => abort.abort();
  }, [key, attempt, returns.value]);
  return { ...state, loading: key !== '' && state.loading, again: () => setAttempt((/** @type {number} */ n) => n + 1) };
}

/**
 * @template T
 * @typedef {{ rows: T[], cursor: string | undefined, complete: boolean, loading: boolean, error: any }} Pages
 */

/**
 * Loads the first page of a list whenever the key changes, and the next one when it is asked for. The
 * last rows stay while others are on their way, and an answer that was overtaken is dropped.
 * @template T
 * @param {string} key @param {(cursor: string | undefined, signal: AbortSignal) => Promise<{ rows: T[], cursor?: string, complete: boolean }>} request
 * @returns {Pages<T> & { more: () => void }}
 */
export function usePages(key, request) {
  const [state, setState] = useState(/** @type {Pages<T>} */ ({ rows: [], cursor: undefined, complete: false, loading: true, error: undefined }));
  const abort = useRef(new AbortController());
  const load = async (/** @type {string | undefined} */ cursor, /** @type {T[]} */ before) => {
    const { signal } = abort.current;
    const update = (/** @type {Partial<Pages<T>>} */ part) => { if (!signal.aborted) setState((/** @type {Pages<T>} */ old) => ({ ...old, ...part })); };
    update({ loading: true });
    try {
      const page = await request(cursor, signal);
      update({ rows: [...before, ...page.rows], cursor: page.cursor, complete: page.complete, loading: false, error: undefined });
    } catch (error) {
      update({ loading: false, error });
    }
  };
  useEffect(() => {
    abort.current = new AbortController();
    load(undefined, []);
    return () => abort.current.abort();
  }, [key]);
  return { ...state, more: () => { if (!state.loading && state.cursor) load(state.cursor, state.rows); } };
}
