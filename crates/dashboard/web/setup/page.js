// How this instance is set up, and how other programs use it.
import { setup } from '../api.js';
import { publicAddress } from '../links/short-link.js';
import { useLoaded } from '../load.js';
import { CopyButton, IconButton } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { ErrorNote, wording } from '../parts/notes.js';
import { save } from '../parts/save.js';
import { Credit } from '../shell.js';
import { may, token } from '../state/session.js';
import { toast } from '../state/toasts.js';
import { html, useEffect, useRef, useState } from '../view.js';
import { say } from '../words.js';
import { DomainsCard } from './domains.js';
import { WORDS, mends, sentenceOf } from './findings.js';
import { FOR_PROGRAMS, tokenFor } from './program-token.js';
import { HIDDEN, bookmarklet, shareX, snippets } from './snippets.js';
import { TokensCard, tokensMade } from './tokens.js';

export function SetupPage() {
  const [shown, setShown] = useState(false);
  const [made, setMade] = useState(/** @type {Record<string, string>} */ ({}));
  const [name, setName] = useState('Claude Code');
  const told = useLoaded('setup', (signal) => setup(signal));
  const findings = told.data?.findings ?? [];
  // Where the API has a host of its own, short links have another.
  const address = (told.data?.adminUrl ?? publicAddress.value).replace(/\/+$/, '');
  const byAddress = told.data?.switches.assistants;
  // Who may make tokens makes one for each program; anybody else has no other than their own.
  const makes = may('admin') && !told.data?.switches.previewMode;
  const own = makes ? made[name] : token.value;
  const all = snippets(address, shown && own ? own : HIDDEN, byAddress);
  const real = snippets(address, own ?? HIDDEN, byAddress);
  const place = Math.max(0, all.findIndex((snippet) => snippet.name === name));
  const needsToken = all[place]?.text.includes(HIDDEN) && !own;
  const make = async (/** @type {string} */ program, /** @type {import('../state/session.js').Scope[]} */ scopes) => {
    try {
      const text = await tokenFor(program, scopes);
      setMade((/** @type {Record<string, string>} */ before) => ({ ...before, [program]: text }));
      tokensMade.value += 1;
      toast(say('tokenMade', { name: program }));
      return text;
    } catch (error) {
      toast(wording(error), 'bad');
      return undefined;
    }
  };
  const saveShareX = async () => {
    const text = makes ? made['ShareX'] ?? await make('ShareX', ['links:write']) : token.value;
    if (text) save('slugline.sxcu', 'application/json', shareX(address, text));
  };
  const dashboard = new URL('./', document.baseURI).href;
  return html`<div class="page setup"><h1>${say('pageSetup')}</h1>
    ${told.error && html`<${ErrorNote} error=${told.error} again=${told.again} />`}
    ${told.data && may('admin') && html`<section class="card setup-card"><h2>${say('findings')}</h2>${findings.length === 0 ? html`<p class="setup-text good"><${Icon} name="check" /> ${say('setupFine')}</p>`
      : html`<ul class="findings">${findings.map((finding) => html`<${FindingRow} key=${finding.code} finding=${finding} />`)}</ul>`}</section>`}
    ${told.data && may('admin') && !told.data.switches.previewMode && html`<${DomainsCard} /><${TokensCard} />`}
    <section class="card setup-card"><h2>${say('connect')}</h2><p class="setup-text">${say('connectText')}</p>
      <div class="tabs" role="tablist" aria-label=${say('connect')}>${all.map((snippet) => html`<button key=${snippet.name} type="button" role="tab" id=${`snippet-${snippet.name}`} aria-selected=${snippet.name === all[place]?.name} onClick=${() => setName(snippet.name)}>${snippet.name}</button>`)}</div>
      <div class="snippet" role="tabpanel" aria-labelledby=${`snippet-${all[place]?.name}`}><div class="snippet-head"><code>${all[place]?.where}</code>${needsToken ? html`<button type="button" class="button primary" onClick=${() => make(name, FOR_PROGRAMS)}>${say('tokenMake')}</button>` : html`<${IconButton} icon="eye" label=${say('showToken')} pressed=${shown} onClick=${() => setShown(!shown)} /><${CopyButton} text=${real[place]?.text ?? ''} />`}</div>
        <pre tabindex="0">${all[place]?.text}</pre></div></section>
    <div class="setup-pair">
      <section class="card setup-card"><h2>${say('bookmarklet')}</h2><p class="setup-text">${say('bookmarkletText')}</p><${Bookmarklet} code=${bookmarklet(dashboard)} /></section>
      <section class="card setup-card"><h2>${say('shareX')}</h2><p class="setup-text">${say('shareXText')}</p><p><button type="button" class="button" onClick=${saveShareX}><${Icon} name="down" />${say('download')}</button></p></section>
    </div>
    <footer class="setup-foot">${told.data && html`<span>${say('version', { version: told.data.version })}</span>`}<a href="../_docs/scalar" target="_blank" rel="noreferrer">API</a><${Credit} /></footer>
  </div>`;
}

/** Preact refuses addresses of scripts, and so does the policy here; on another page the bookmark is allowed. @param {{ code: string }} props */
function Bookmarklet({ code }) {
  const element = useRef(/** @type {HTMLAnchorElement | null} */ (null));
  useEffect(() => element.current?.setAttribute('href', code), [code]);
  return html`<p><a ref=${element} class="button" draggable="true" onClick=${(/** @type {Event} */ event) => event.preventDefault()}><${Icon} name="bookmark" />${say('shorten')}</a></p>`;
}

/** @type {Record<import('./findings.js').Finding['level'], [import('../words.js').Word, import('../parts/icon.js').IconName]>} */
const LEVELS = { error: ['levelError', 'warn'], warning: ['levelWarning', 'warn'], note: ['levelNote', 'info'] };

/** @param {{ finding: import('./findings.js').Finding }} props */
function FindingRow({ finding }) {
  const { code, level, message, fix } = finding;
  const known = WORDS[code];
  const [word, icon] = LEVELS[level];
  const text = mends(fix);
  return html`<li class="finding is-${level}"><${Icon} name=${icon} /><div><p><span class="off-screen">${say(word)}: </span>${known ? say(known, { value: ('value' in fix && fix.value) || '' }) : sentenceOf(message)}</p><p class="finding-fix"><code>${text}</code><${CopyButton} text=${text} /></p></div></li>`;
}
