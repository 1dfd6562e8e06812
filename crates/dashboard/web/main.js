// Starts the page.
import { answered } from './ahead.js';
import { listDomains, setup, verify } from './api.js';
import { publicAddress } from './links/short-link.js';
import { fetchPart } from './fetching.js';
import { later } from './parts/later.js';
import { Empty, ErrorNote } from './parts/notes.js';
import { OfferDialog } from './offer.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';
import { addShortcuts, currentShortcuts, keyName, match, takesText } from './shortcuts.js';
import { awaited, busy } from './state/busy.js';
import { singleKeys } from './state/choices.js';
import { hosts } from './state/domains.js';
import { demonstration, lackingFor, moving, reason } from './state/refusal.js';
import { followOffers, question } from './state/offer.js';
import { change, go, view } from './state/router.js';
import { expired, isNamed, may, scopes, token } from './state/session.js';
import { citiesKnown, countriesKnown, countrySource } from './state/places.js';
import { hasTrash } from './state/trash.js';
import { effect, html, render, useEffect, useState } from './view.js';
import { loadWords, say } from './words.js';

/** Pages are fetched when they are opened, the first one beside the words. @type {Record<import('./address.js').Page, [(again: string) => Promise<any>, string]>} */
const PAGES = {
  links: [(again) => import('./links/page.js' + again), 'LinksPage'],
  analytics: [(again) => import('./analytics/page.js' + again), 'AnalyticsPage'],
  live: [(again) => import('./live/page.js' + again), 'LivePage'],
  audit: [(again) => import('./audit/page.js' + again), 'AuditPage'],
  setup: [(again) => import('./setup/page.js' + again), 'SetupPage'],
  trash: [(again) => import('./trash/page.js' + again), 'TrashPage'],
};

const Help = later((again) => import('./help.js' + again), 'Help');
const Palette = later((again) => import('./palette.js' + again), 'Palette');

/** How long the frame waits for the list: two frames take a slow phone longer than one, and what is there at once does not jump. */
const PATIENCE_MS = 150;

/** How long a page waits for the domains: one that hears of them later asks all its questions again. */
const DOMAINS_MS = 2_000;

/** The end of some work, or of patience. @param {Promise<any>} work @param {number} most In milliseconds. */
const soon = (work, most) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, most))]);

/** Resolves once the domains are known, or cannot be. @type {Promise<void>} */
let domains = Promise.resolve();

/** When a page without words is loaded again: it can say nothing. */
const PAUSE_MS = 5_000;

/** @type {Map<string, any>} */
const fetched = new Map();

/** @param {import('./address.js').Page} name */
async function fetchPage(name) {
  const [load, component] = PAGES[name];
  const [part] = await Promise.all([fetchPart(load), soon(domains, DOMAINS_MS)]);
  fetched.set(name, part[component]);
}

function App() {
  const { page } = view.value;
  const [floating, setFloating] = useState(/** @type {'' | 'palette' | 'help'} */ (''));
  const [, redraw] = useState(0);
  const [failed, setFailed] = useState(/** @type {{ page: string, error: any } | undefined} */ (undefined));
  const signedIn = token.value !== '';
  const open = () => {
    if (!signedIn || fetched.has(page)) return;
    awaited(fetchPage(page)).then(() => redraw((/** @type {number} */ n) => n + 1), (error) => setFailed({ page, error }));
  };
  useEffect(open, [page, signedIn]);
  useEffect(() => addShortcuts([
    { keys: 'mod+k', word: 'jump', group: 'everywhere', hidden: true, run: () => setFloating('palette') },
    { keys: '/', word: 'search', group: 'everywhere', hidden: true, run: () => search(() => setFloating('palette')) },
    { keys: 'c', word: 'newLink', group: 'everywhere', run: () => go('links', { new: '1' }) },
    { keys: 'g l', word: 'pageLinks', group: 'everywhere', run: () => go('links') },
    { keys: 'g a', word: 'pageAnalytics', group: 'everywhere', run: () => go('analytics') },
    { keys: 'g v', word: 'pageLive', group: 'everywhere', run: () => go('live') },
    { keys: 'g u', word: 'pageAudit', group: 'everywhere', run: () => go('audit') },
    { keys: 'g t', word: 'pageTrash', group: 'everywhere', run: () => go('trash') },
    { keys: 'g s', word: 'pageSetup', group: 'everywhere', run: () => go('setup') },
    { keys: '?', word: 'shortcuts', group: 'everywhere', run: () => setFloating('help') },
  ]), []);
  useEffect(() => {
    document.title = signedIn ? `${say({ links: /** @type {const} */ ('pageLinks'), analytics: /** @type {const} */ ('pageAnalytics'), live: /** @type {const} */ ('pageLive'), audit: /** @type {const} */ ('pageAudit'), setup: /** @type {const} */ ('pageSetup'), trash: /** @type {const} */ ('pageTrash') }[page])} · Slugline` : 'Slugline';
  });
  if (!signedIn) return html`<main id="main" aria-busy=${busy.value ? 'true' : 'false'}><${SignIn} /></main>`;
  const lacks = lackingFor(page);
  const Page = fetched.get(page);
  const close = () => setFloating('');
  return html`<${Shell} onPalette=${() => setFloating('palette')} onHelp=${() => setFloating('help')}>
      ${lacks ? html`<div class="page"><${Empty} icon="lock" title=${reason(lacks)} /></div>` : Page ? html`<${Page} />` : failed?.page === page ? html`<div class="page"><${ErrorNote} error=${failed.error} again=${open} /></div>` : ''}
    <//>
    ${floating === 'palette' && html`<${Palette} onClose=${close} />`}
    ${floating === 'help' && html`<${Help} onClose=${close} />`}
    ${question.value && html`<${OfferDialog} asked=${question.value} />`}
    ${expired.value && html`<div class="veil"><${SignIn} /></div>`}`;
}

/** The page's own field, if it has one. @param {() => void} otherwise */
function search(otherwise) {
  const field = document.getElementById('search');
  if (field) field.focus();
  else otherwise();
}

let pending = '';
addEventListener('keydown', (event) => {
  const key = keyName(event);
  const typing = takesText(/** @type {any} */ (event.target));
  const single = !key.startsWith('mod+');
  if (!key || event.defaultPrevented || (single && (typing || (singleKeys.value === 'off' && key !== 'Escape')))) {
    if (typing && key === 'Escape') /** @type {HTMLElement} */ (event.target).blur();
    return;
  }
  if (document.querySelector('dialog[open]') && key !== 'mod+k') return;
  const found = match(currentShortcuts(), key, pending);
  pending = found.pending;
  if (!found.shortcut) return;
  event.preventDefault();
  found.shortcut.run();
});

effect(() => {
  // Later, because a request reads signals that this must not wait for.
  if (token.value !== '') queueMicrotask(learnInstance);
});

effect(() => {
  // Whoever asks for no page gets one that the token permits.
  if (scopes.value && /\/_dashboard\/$/.test(location.pathname) && lackingFor('links') && !lackingFor('analytics')) queueMicrotask(() => go('analytics', {}, { replace: true }));
});

effect(() => {
  // A named token has told what it permits by then, or asks for what it may not.
  if (token.value !== '' && (!isNamed() || scopes.value)) queueMicrotask(learnDomains);
});

function learnDomains() {
  if (may('links:read')) domains = listDomains().then((list) => { hosts.value = list.map(({ host }) => host); }, () => {});
  else hosts.value = [];
}

function learnInstance() {
  setup().then(({ baseUrl, switches, countries }) => {
    if (baseUrl) publicAddress.value = baseUrl.replace(/\/$/, '');
    demonstration.value = switches.previewMode;
    hasTrash.value = switches.trash;
    countriesKnown.value = switches.places;
    citiesKnown.value = switches.cities;
    countrySource.value = countries;
    if (switches.migrationRequired) moving.value = true;
  }, () => {});
}

// A page that was sent here with a destination begins a link with it. Programs share an address as a text, too.
const sent = view.value.query.url ?? /https?:\/\/\S+/.exec(view.value.query.text ?? '')?.[0];
if (view.value.page === 'links' && sent && !view.value.query.new) change({ new: '1', url: sent, text: undefined }, { replace: true });

// An address may sign in, which decides what is fetched.
const words = loadWords();
words.catch(() => setTimeout(() => location.reload(), PAUSE_MS));
await followOffers(words);

// A page must not ask for what a named token does not permit.
if (isNamed()) await verify(token.value).then((identity) => { scopes.value = identity.scopes; }, () => {});
// A page that does not come is told by the frame, which asks for it once more.
const first = token.value === '' ? undefined : fetchPage(view.value.page).catch(() => {});
await Promise.all([words, first]);
await soon(answered(), PATIENCE_MS);
render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById('app')));
