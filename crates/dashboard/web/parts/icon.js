// Small pictures, drawn with the colour of the text.
import { html } from '../view.js';

/** Paths on a grid of 16 by 16. */
const PATHS = {
  add: 'M8 3v10M3 8h10',
  bars: 'M3 13V8M8 13V3M13 13V6',
  bolt: 'M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z',
  bookmark: 'M4 2h8v12l-4-3-4 3z',
  calendar: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v3M10.5 2v3',
  check: 'm3 8.5 3.2 3.2L13 5',
  chevron: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.2l2 1.3',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  down: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10',
  edit: 'm10.5 3 2.5 2.5-7.5 7.5H3v-2.5z',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  globe: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM2 8h12M8 2c2 1.8 2.6 3.8 2.6 6S10 12.2 8 14c-2-1.8-2.6-3.8-2.6-6S6 3.8 8 2Z',
  info: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 7.5v3.2M8 5.2v.1',
  left: 'M10 4 6 8l4 4',
  link: 'M6.5 9.5 9.5 6.5M7 4.5l1.2-1.2a3 3 0 0 1 4.3 4.3L11.2 9M9 11.5l-1.2 1.2a3 3 0 0 1-4.3-4.3L4.8 7',
  lock: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  out: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5 8h6',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  plug: 'M6 2v3.5M10 2v3.5M4 5.5h8V8a4 4 0 0 1-8 0zM8 12v2.5',
  qr: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h1.5v1.5M13.5 9.5v4H11M9.5 13.5',
  resume: 'M5 3.5 12 8l-7 4.5z',
  right: 'm6 4 4 4-4 4',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM13.5 13.5l-3.2-3.2',
  settings: 'M2.5 5h6M11.5 5h2M10 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM2.5 11h2M7.5 11h6M6 12.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  table: 'M2.5 3h11v10h-11zM2.5 6.5h11M2.5 9.8h11M6.5 6.5V13',
  tag: 'M2.5 2.5H8l5.5 5.5L8 13.5 2.5 8zM5.5 5.5h.01',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9',
  up: 'M8 11V3M4.5 6 8 2.5 11.5 6M3 13.5h10',
  warn: 'M8 2.5 14.5 13.5h-13zM8 6.8v3M8 11.7v.1',
};

/** @typedef {keyof typeof PATHS} IconName */

/** @param {{ name: IconName }} props */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>`;
}
