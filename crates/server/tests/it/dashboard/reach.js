// Returns what a reader cannot reach or read whole: controls, labels and numbers that leave the window, are cut, or
// cover each other.
const CONTROLS = 'a[href], button, input, select, textarea';
const WORDS = 'h1, h2, h3, label, legend, th, td, dt, dd, kbd, time, .label, .badge, .hint, .menu-title, .counter-name, .counter-value, .value-count, .value-visitors, .value-share, .row-visits span, .toolbar-count, .live-count, .live-state';
/** What people wrote may be long, and ends in dots. */
const WRITTEN = '.address *, .row-note, .row-slug, .value-name, .value-name *, .chip, .link-choice *, .event-link *, .event-place, .event-program, .event-referer, .audit-object, .audit-object *, .audit-who, .audit-who *, .sample *, .trash-link *, .split-scroll th, .prefix, .tag-choice select, .domain-switch select, .zone select, .toolbar > .select:nth-of-type(2) select';
/** Stands in a field on purpose. */
const INSIDE = '.search *, .with-inside *, .value-out';
/** Out of sight until it is needed, or where there is no room. */
const APART = '.off-screen, .off-screen *, .skip, .jump, .jump *, .cell';
const LAYERS = 'dialog, .panel, .bulk, .toast, .top, .list-head, .menu-list';

const styles = new Map();
const styleOf = (part) => styles.get(part) ?? styles.set(part, getComputedStyle(part)).get(part);
const pen = new OffscreenCanvas(1, 1).getContext('2d');
const widthOf = (text, { font }) => { pen.font = font; return pen.measureText(text).width; };
const found = new Set();
const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.querySelector('[aria-modal=true]') ?? document.body;

/** The part of a box that can be seen, and how far it can be scrolled to. */
function seen(part, box) {
  const view = { left: box.left, right: box.right, top: box.top, bottom: box.bottom, fixed: false, scrolls: { x: false, y: false }, layer: part.closest(LAYERS) };
  for (let up = part; up && up !== document.body; up = up.parentElement) {
    const { position, overflowX, overflowY } = styleOf(up);
    if (up !== part) {
      const frame = up.getBoundingClientRect();
      // What is scrolled goes below what stands beside.
      if (!view.scrolls.x && !view.scrolls.y && /auto|scroll/.test(overflowX + overflowY)) view.layer = up;
      if (overflowX === 'auto' || overflowX === 'scroll') view.scrolls.x = true;
      else if (overflowX !== 'visible' && !view.scrolls.x) { view.left = Math.max(view.left, frame.left); view.right = Math.min(view.right, frame.right); }
      if (overflowY === 'auto' || overflowY === 'scroll') view.scrolls.y = true;
      else if (overflowY !== 'visible' && !view.scrolls.y) { view.top = Math.max(view.top, frame.top); view.bottom = Math.min(view.bottom, frame.bottom); }
    }
    if (position === 'fixed' || up.matches('dialog')) { view.fixed = true; break; }
  }
  return view;
}

const items = [];
for (const part of root.querySelectorAll(`${CONTROLS}, ${WORDS}`)) {
  if (!part.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || part.matches(APART)) continue;
  const isControl = part.matches(CONTROLS);
  const tell = (what) => found.add(`${what}: ${part.tagName.toLowerCase()}.${part.className} ${(part.ariaLabel || part.textContent || part.placeholder || part.id).trim().slice(0, 40)}`);
  const style = styleOf(part);
  for (const box of part.getClientRects()) {
    if (box.width <= 1 || box.height <= 1) continue;
    const view = seen(part, box);
    const hidden = view.right - view.left < 1 || view.bottom - view.top < 1;
    if (!view.scrolls.x && (box.left < -1 || box.right > innerWidth + 1)) tell('outside');
    else if (view.fixed && !view.scrolls.y && (box.top < -1 || box.bottom > innerHeight + 1)) tell('outside');
    else if (hidden ? isControl : !part.matches(WRITTEN) && (view.left - box.left > 2 || box.right - view.right > 2 || view.top - box.top > 2 || box.bottom - view.bottom > 2)) tell('cut');
    if (!hidden && !part.matches(INSIDE)) items.push({ part, tell, ...view });
  }
  if (part.matches(WRITTEN) || style.display === 'inline') continue;
  const room = part.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  if (part.matches('select')) {
    if (part.selectedOptions[0] && widthOf(part.selectedOptions[0].text, style) > room + 2) tell('cut');
  } else if (part.matches('input')) {
    if (part.placeholder && !part.value && widthOf(part.placeholder, style) > room + 2) tell('cut');
  } else if (!part.matches('textarea') && (part.scrollWidth > part.clientWidth + 1 || (isControl && part.scrollHeight > part.clientHeight + 2))) tell('cut');
}

items.sort((one, other) => one.left - other.left);
for (const [at, one] of items.entries()) {
  for (let next = at + 1; next < items.length && items[next].left < one.right - 3; next += 1) {
    const other = items[next];
    if (other.layer !== one.layer || Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) <= 3) continue;
    if (one.part === other.part || one.part.contains(other.part) || other.part.contains(one.part)) continue;
    one.tell(`covered by ${(other.part.ariaLabel || other.part.textContent).trim().slice(0, 20)}`);
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
