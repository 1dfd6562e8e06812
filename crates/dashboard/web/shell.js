// What surrounds every page: the bar, the menu, messages.
import { addressOf, PAGES } from './address.js';
import { Select } from './parts/controls.js';
import { Menu, MenuItem } from './parts/dialog.js';
import { Icon } from './parts/icon.js';
import { wording } from './parts/notes.js';
import { busy } from './state/busy.js';
import { THEMES, density, language, singleKeys, theme } from './state/choices.js';
import { ALL } from './state/domain-choice.js';
import { chooseDomain, domain, domainName, domainOptions, several } from './state/domains.js';
import { countrySource } from './state/places.js';
import { demonstration, lacking, lackingFor } from './state/refusal.js';
import { follow, go, view } from './state/router.js';
import { signOut } from './state/session.js';
import { toast, toasts } from './state/toasts.js';
import { html } from './view.js';
import { LANGUAGES, loadWords, say } from './words.js';

/** @type {Record<import('./address.js').Page, { word: import('./words.js').Word, icon: import('./parts/icon.js').IconName }>} */
const NAMES = {
  links: { word: 'pageLinks', icon: 'link' },
  analytics: { word: 'pageAnalytics', icon: 'bars' },
  live: { word: 'pageLive', icon: 'bolt' },
  audit: { word: 'pageAudit', icon: 'clock' },
  setup: { word: 'pageSetup', icon: 'plug' },
  trash: { word: 'pageTrash', icon: 'trash' },
};

/** The trash is reached from the links. */
const IN_BAR = PAGES.filter((page) => page !== 'trash');

/** @param {{ children: any, onPalette: () => void, onHelp: () => void }} props */
export function Shell({ children, onPalette, onHelp }) {
  const bar = IN_BAR.filter((page) => !lackingFor(page));
  const home = bar[0] ?? 'setup';
  return html`<a class="skip" href="#main">${say('skip')}</a>
    <header class="top"><div class="top-in">
      <a class="brand" href=${addressOf(home)} onClick=${(/** @type {MouseEvent} */ event) => follow(event, home)}><${Mark} /><span>Slugline</span></a>
      <nav class="pages" aria-label=${say('pages')}>${bar.map((page) => html`<a key=${page} href=${addressOf(page)} aria-current=${view.value.page === page ? 'page' : undefined} onClick=${(/** @type {MouseEvent} */ event) => follow(event, page)}><${Icon} name=${NAMES[page].icon} /><span>${say(NAMES[page].word)}</span></a>`)}</nav>
      ${several.value && html`<${Select} label=${say('domain')} class="domain-switch" value=${domain.value} onChange=${chooseDomain} options=${[...domainOptions(), [ALL, domainName(ALL)]]} />`}
      <button type="button" class="jump" aria-label=${say('jump')} onClick=${onPalette}><${Icon} name="search" /><span>${say('jump')}<kbd aria-hidden="true" data-keys="${modifier()}K"></kbd></span></button>
      ${!lacking('links:write') && html`<button type="button" class="button primary new" onClick=${() => go('links', { ...(view.value.page === 'links' ? view.value.query : {}), new: '1', edit: undefined })}><${Icon} name="add" /><span>${say('newLink')}</span></button>`}
      <${MainMenu} onHelp=${onHelp} />
    </div><div class="bar ${busy.value ? 'on' : ''}" aria-hidden="true"></div></header>
    ${demonstration.value && html`<p class="banner">${say('previewMode')}</p>`}
    <main id="main" tabindex="-1" aria-busy=${busy.value ? 'true' : 'false'}>${children}</main>
    ${countrySource.value && ['analytics', 'live'].includes(view.value.page) && html`<footer class="credit"><${Credit} /></footer>`}
    <div class="toasts" role="status">${toasts.value.map(({ id, text, tone, action }) => html`<div key=${id} class="toast ${tone}"><${Icon} name=${tone === 'good' ? 'check' : 'warn'} /><span>${text}</span>${action && html`<button type="button" class="toast-action" onClick=${action.run}>${action.text}</button>`}</div>`)}</div>`;
}

/** The link that the licence of the table of countries asks for. */
export function Credit() {
  const source = countrySource.value;
  return source ? html`<a href=${source.address} target="_blank" rel="noreferrer" title=${`${source.licence}, ${source.date}`}>${source.name}</a>` : '';
}

export function Mark() {
  return html`<svg class="mark" viewBox="0 0 32 32" width="22" height="22" aria-hidden="true"><path d="M16 3.5 28.5 16 16 28.5 3.5 16Z" fill="none" stroke="currentColor" stroke-width="3" stroke-linejoin="round" /><path d="M10.5 16h11" stroke="currentColor" stroke-width="3" stroke-linecap="round" /></svg>`;
}

/** `⌘` or `Ctrl `, as the keyboard has it. */
export function modifier() {
  return /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl ';
}

/** Shows the page in another language, if its words come. @param {string} tag */
export async function speak(tag) {
  const before = language.value;
  language.value = tag;
  await loadWords().catch((error) => {
    language.value = before;
    toast(wording(error), 'bad');
  });
}

/** @param {{ onHelp: () => void }} props */
function MainMenu({ onHelp }) {
  return html`<${Menu} label=${say('menu')} class="main-menu" button=${html`<${Icon} name="menu" />`}>
    <div class="menu-title">${say('theme')}</div>
    ${THEMES.map(([value, word]) => html`<${MenuItem} key=${value} current=${theme.value === value} onClick=${() => { theme.value = value; }}>${say(word)}<//>`)}
    <div class="menu-line"></div>
    <${MenuItem} current=${density.value === 'compact'} onClick=${() => { density.value = density.value === 'compact' ? 'comfortable' : 'compact'; }}>${say('compact')}<//>
    <${MenuItem} current=${singleKeys.value === 'on'} onClick=${() => { singleKeys.value = singleKeys.value === 'on' ? 'off' : 'on'; }}>${say('singleKeys')}<//>
    <${MenuItem} keys="?" onClick=${onHelp}>${say('shortcuts')}<//>
    <div class="menu-line"></div>
    <label class="menu-select" data-keep-open><span>${say('language')}</span><select value=${language.value} onChange=${(/** @type {any} */ event) => speak(event.currentTarget.value)}>
      <option value="system" selected=${language.value === 'system'}>${say('themeSystem')}</option>${LANGUAGES.map(([tag, name]) => html`<option key=${tag} value=${tag} lang=${tag} selected=${language.value === tag}>${name}</option>`)}</select></label>
    <div class="menu-line"></div>
    <${MenuItem} onClick=${signOut}>${say('signOut')}<//>
  <//>`;
}
