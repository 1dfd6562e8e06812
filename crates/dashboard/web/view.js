// The one place that names the vendored libraries.
import { Fragment, h, render } from '../vendor/preact-11.2.0/preact.mjs';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from '../vendor/preact-11.2.0/hooks.mjs';
import htm from '../vendor/htm-3.1.1/htm.mjs';
import { batch, computed, effect, signal } from '../vendor/signals-2.11.4/signals.mjs';

/**
 * A value that draws again whatever reads it.
 * @template T
 * @typedef {import('../vendor/signals-2.11.4/signals.mjs').Signal<T>} Signal
 */

/** Markup as a tagged template. Every value is text: nothing is ever parsed as HTML. */
export const html = htm.bind(h);

export { Fragment, batch, computed, effect, render, signal };
export { useEffect, useLayoutEffect, useMemo, useRef, useState };
