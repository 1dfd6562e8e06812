// Tells what a reader cannot reach or read whole, in each of these languages: controls, labels and numbers that leave
// the window, are cut, or cover each other.
const [languages, tell] = arguments;
const CONTROLS = 'a[href], button, input, select, textarea';
const WORDS = 'h1, h2, h3, label, legend, th, td, dt, dd, kbd, time, .label, .badge, .hint, .menu-title, .counter-name, .counter-value, .value-count, .value-visitors, .value-share, .row-visits span, .toolbar-count, .live-count, .live-state';
/** What people wrote may be long, and ends in dots. */
const WRITTEN = '.address *, .row-note, .row-slug, .value-name, .value-name *, .chip, .link-choice *, .event-link *, .event-place, .event-program, .event-referer, .audit-object, .audit-object *, .audit-who, .audit-who *, .sample *, .trash-link *, .split-scroll th, .prefix, .tag-choice select, .domain-switch select, .zone select, .toolbar > .select:nth-of-type(2) select';
/** Stands in a field on purpose. */
const INSIDE = '.search *, .with-inside *, .value-out';
/** Out of sight until it is needed, or where there is no room. */
const APART = '.off-screen, .off-screen *, .skip, .jump, .jump *, .cell';
const LAYERS = 'dialog, .panel, .bulk, .toast, .top, .list-head, .menu-list';

const html = document.documentElement;
const turn = () => new Promise((next) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = next; port2.postMessage(0); });
const frame = () => new Promise(requestAnimationFrame);

/** What this gives, once it gives something. The page draws before the next task, in which a frame would be painted that nobody sees. */
async function once(is) {
  for (let waited = 0; ; waited += 1) {
    const found = is();
    if (found) return found;
    await (waited < 20 ? undefined : turn());
  }
}

/** Chooses a language in the menu, also while a dialog covers that. */
async function speak(tag) {
  const button = document.querySelector('.main-menu .menu-button');
  button.click();
  const list = await once(() => document.querySelector('.menu-select select'));
  list.value = tag;
  list.dispatchEvent(new Event('change', { bubbles: true }));
  await once(() => html.lang === tag);
  button.click();
  await once(() => !document.querySelector('.menu-select'));
}

const pen = new OffscreenCanvas(1, 1).getContext('2d');
const widthOf = (text, { font }) => { pen.font = font; return pen.measureText(text).width; };

/** Reads the layout as it is, and changes nothing, so that the browser makes it once. */
function faults() {
  const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.querySelector('[aria-modal=true]') ?? document.body;
  const found = new Set();
  const [controls, written, inside, apart] = [CONTROLS, WRITTEN, INSIDE, APART].map((css) => new Set(root.querySelectorAll(css)));
  const styles = new Map();
  const styleOf = (part) => styles.get(part) ?? styles.set(part, getComputedStyle(part)).get(part);

  /** What frames leave to be seen of what is in a part, and how far that can be scrolled to; of what is scrolled, the layer is what scrolls. */
  const views = new Map();
  const inner = (part) => views.get(part) ?? views.set(part, innerOf(part)).get(part);
  function innerOf(part) {
    const { overflowX, overflowY } = styleOf(part);
    const outer = beyond(part);
    if (overflowX === 'visible' && overflowY === 'visible') return outer;
    const view = { ...outer };
    const frame = part.getBoundingClientRect();
    for (const [overflow, axis, low, high] of [[overflowX, 'x', 'left', 'right'], [overflowY, 'y', 'top', 'bottom']]) {
      if (/auto|scroll/.test(overflow)) Object.assign(view, { [axis]: true, [low]: -Infinity, [high]: Infinity, scroller: part });
      else if (overflow !== 'visible') Object.assign(view, { [low]: Math.max(view[low], frame[low]), [high]: Math.min(view[high], frame[high]) });
    }
    return view;
  }
  function beyond(part) {
    const fixed = styleOf(part).position === 'fixed' || part.matches('dialog');
    if (!fixed && part.parentElement && part.parentElement !== document.body) return inner(part.parentElement);
    return { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity, x: false, y: false, fixed, scroller: undefined };
  }

  const items = [];
  for (const part of root.querySelectorAll(`${CONTROLS}, ${WORDS}`)) {
    if (apart.has(part) || !part.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const isControl = controls.has(part);
    const fault = (what) => found.add(`${what}: ${part.tagName.toLowerCase()}.${part.className} ${(part.ariaLabel || part.textContent || part.placeholder || part.id).trim().slice(0, 40)}`);
    const style = styleOf(part);
    const around = beyond(part);
    const layer = around.scroller ?? part.closest(LAYERS);
    for (const box of part.getClientRects()) {
      if (box.width <= 1 || box.height <= 1) continue;
      const [left, right, top, bottom] = [Math.max(box.left, around.left), Math.min(box.right, around.right), Math.max(box.top, around.top), Math.min(box.bottom, around.bottom)];
      const hidden = right - left < 1 || bottom - top < 1;
      if (!around.x && (box.left < -1 || box.right > innerWidth + 1)) fault('outside');
      else if (around.fixed && !around.y && (box.top < -1 || box.bottom > innerHeight + 1)) fault('outside');
      else if (hidden ? isControl : !written.has(part) && (left - box.left > 2 || box.right - right > 2 || top - box.top > 2 || box.bottom - bottom > 2)) fault('cut');
      if (!hidden && !inside.has(part)) items.push({ part, fault, layer, left, right, top, bottom });
    }
    if (written.has(part) || style.display === 'inline') continue;
    const room = () => part.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    if (part.matches('select')) {
      if (part.selectedOptions[0] && widthOf(part.selectedOptions[0].text, style) > room() + 2) fault('cut');
    } else if (part.matches('input')) {
      if (part.placeholder && !part.value && widthOf(part.placeholder, style) > room() + 2) fault('cut');
    } else if (!part.matches('textarea') && (part.scrollWidth > part.clientWidth + 1 || (isControl && part.scrollHeight > part.clientHeight + 2))) fault('cut');
  }

  items.sort((one, other) => one.left - other.left);
  for (const [at, one] of items.entries()) {
    for (let next = at + 1; next < items.length && items[next].left < one.right - 3; next += 1) {
      const other = items[next];
      if (other.layer !== one.layer || Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) <= 3) continue;
      if (one.part === other.part || one.part.contains(other.part) || other.part.contains(one.part)) continue;
      one.fault(`covered by ${(other.part.ariaLabel || other.part.textContent).trim().slice(0, 20)}`);
    }
  }

  // What stands above the page stands beside each other.
  const floating = [...root.querySelectorAll('.panel, .bulk, .toast, .pages')].filter((part) => part.matches('.panel, .bulk, .toast') || styleOf(part).position === 'fixed').map((part) => [part, part.getBoundingClientRect()]);
  for (const [at, [one, a]] of floating.entries()) {
    for (const [other, b] of floating.slice(at + 1)) {
      if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) found.add(`covered: ${one.className} and ${other.className}`);
    }
  }
  return [...found];
}

(async () => {
  const all = [];
  // A graph takes its new width in the second frame.
  await frame();
  await frame();
  for (const [tag, word] of languages) {
    const pages = document.querySelector('.pages a');
    if (pages) await speak(tag);
    if (pages && pages.innerText !== word) all.push(`${tag}: the page says ${pages.innerText}`);
    all.push(...faults().map((fault) => `${tag}: ${fault}`));
  }
  return all;
})().catch((error) => [String(error)]).then(tell);
