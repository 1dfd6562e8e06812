// Import, export and the check of all links: work that takes a while.
import { checkLinks, countLinks, createLink } from '../api.js';
import { CopyButton, Field, Select } from '../parts/controls.js';
import { Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { ErrorNote, Progress, wording } from '../parts/notes.js';
import { save } from '../parts/save.js';
import { each } from '../pool.js';
import { domain, domainOfNew, domainOptions, several } from '../state/domains.js';
import { reason, refusalOfChange, refusalOfCheck, refusalOfExport, refusalOfNew } from '../state/refusal.js';
import { writeCsv } from '../text/csv.js';
import { html, useEffect, useRef, useState } from '../view.js';
import { say } from '../words.js';
import { asUrl } from './draft.js';
import { saveExport, saveTable } from './export.js';
import { inDomain, LARGEST, linesOf, planOf } from './import-plan.js';
import { runImport } from './import-run.js';
import { keyOf, shownKey } from './key.js';
import { shortLink } from './short-link.js';

/** @param {{ what: string, onClose: () => void }} props */
export function Transfer({ what, onClose }) {
  if (what === 'import') return html`<${Import} onClose=${onClose} />`;
  if (what === 'export') return html`<${Export} onClose=${onClose} />`;
  return html`<${CheckAll} onClose=${onClose} />`;
}

/** Why the server would refuse this. @param {{ why: import('../state/refusal.js').Refusal }} props */
function Refusal({ why }) {
  return why && html`<p class="note">${reason(why)}</p>`;
}

/** An abort that belongs to what is shown. */
function useAbort() {
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  return abort;
}

/** @param {{ onClose: () => void }} props */
function Import({ onClose }) {
  const [plan, setPlan] = useState(/** @type {import('./import-plan.js').Plan | undefined} */ (undefined));
  const [name, setName] = useState('');
  const [outcomes, setOutcomes] = useState(/** @type {import('./import-plan.js').Outcome[]} */ ([]));
  const [state, setState] = useState(/** @type {'ready' | 'checking' | 'checked' | 'running' | 'over'} */ ('ready'));
  const [lost, setLost] = useState(/** @type {string[]} */ ([]));
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const [text, setText] = useState('');
  const [made, setMade] = useState(/** @type {string[]} */ ([]));
  const [into, setInto] = useState(domainOfNew.value);
  const lines = linesOf(text);
  const abort = useAbort();
  const choose = async (/** @type {any} */ event) => {
    const file = event.currentTarget.files?.[0];
    if (!file) return;
    setError(undefined);
    setPlan(undefined);
    setName(file.name);
    if (file.size > LARGEST || (await file.slice(0, 6).text()) === 'SQLite') {
      setError(new Error(say('importCommand', { file: file.name })));
      return;
    }
    try {
      setPlan(planOf(await file.text()));
    } catch (failure) {
      setError(new Error(say('importUnread', { file: file.name, why: wording(failure) })));
    }
  };
  /** Shows first what would come, and stores nothing; the second time it imports. */
  const run = async () => {
    if (!plan || plan.kind === 'lines') return;
    const check = state === 'ready';
    setState(check ? 'checking' : 'running');
    setError(undefined);
    setOutcomes([]);
    setLost([]);
    try {
      const onOutcomes = (/** @type {any[]} */ more, /** @type {string[]} */ names) => {
        setOutcomes((/** @type {any[]} */ old) => [...old, ...more]);
        setLost((/** @type {string[]} */ old) => [...new Set([...old, ...names])]);
      };
      await runImport(inDomain(plan, into), { signal: abort.current.signal, check, domain: into, onOutcomes });
      setState(check ? 'checked' : 'over');
    } catch (failure) {
      setError(failure);
      setState(check ? 'ready' : 'over');
    }
  };
  /** Lines become links one by one, because a new link needs no slug and an imported one does. */
  const shorten = async () => {
    setPlan({ kind: 'lines', rows: lines });
    setState('running');
    let row = 0;
    const place = new Map(lines.map((line) => [line, (row += 1)]));
    await each(lines, (line) => createLink({ url: asUrl(line), domain: into || undefined }), {
      signal: abort.current.signal,
      onResult: (line, result, failure) => {
        const outcome = result ? /** @type {const} */ ('made') : /** @type {const} */ ('failed');
        if (result) setMade((/** @type {string[]} */ old) => [...old, shortLink(result.link)]);
        setOutcomes((/** @type {any[]} */ old) => [...old, { row: place.get(line) ?? 0, slug: result ? keyOf(result.link) : line, outcome, why: failure ? wording(failure) : '' }]);
      },
    });
    setState('over');
  };
  const count = (/** @type {string} */ outcome) => outcomes.filter((one) => one.outcome === outcome).length;
  const counts = /** @type {const} */ ([[state === 'checking' || state === 'checked' ? 'importComes' : 'importMade', 'made'], ['importSame', 'same'], ['importTaken', 'taken'], ['importFailed', 'failed']]);
  const left = outcomes.filter(({ outcome, cuts }) => outcome !== 'made' || cuts).sort((a, b) => a.row - b.row);
  const busy = state === 'running' || state === 'checking';
  const report = () => save('import-report.csv', 'text/csv', writeCsv([['row', 'slug', 'outcome', 'reason'], ...[...outcomes].sort((a, b) => a.row - b.row).map(({ row, slug, outcome, why, cuts }) => [row, slug, outcome, [why, ...(cuts ?? [])].filter(Boolean).join('; ')])]));
  const footer = state === 'over'
    ? html`<button type="button" class="button" onClick=${report}><${Icon} name="down" />${say('saveReport')}</button><button type="button" class="button primary push" onClick=${onClose}>${say('done')}</button>`
    : html`<button type="button" class="button" onClick=${state === 'running' ? () => { abort.current.abort(); setState('over'); } : onClose}>${say(state === 'running' ? 'stop' : 'cancel')}</button>
      ${lines.length > 0 && !plan ? html`<button type="button" class="button primary" disabled=${refusalOfNew.value !== ''} onClick=${shorten}>${say('shortenCount', { n: lines.length })}</button>`
        : html`<button type="button" class="button primary" disabled=${!plan || busy || (state === 'checked' && count('made') === 0) || refusalOfChange.value} onClick=${run}>${state === 'checked' || state === 'running' ? say('importCount', { n: plan?.kind === 'lines' ? lines.length : count('made') }) : say('importCheck')}</button>`}`;
  return html`<${Dialog} title=${say('import')} onClose=${onClose} footer=${footer}>
    ${state === 'ready' && html`<${Refusal} why=${lines.length > 0 && !plan ? refusalOfNew.value : refusalOfChange.value} />`}
    ${state === 'ready' && html`<p>${say('importText')}</p><label class="drop"><${Icon} name="up" /><span>${name || say('chooseFile')}</span><input type="file" accept=".json,.csv,.ndjson,.tsv,.txt,application/json,text/csv" onChange=${choose} /></label>
      ${!plan && html`<${Field} label=${say('pasteLines')} id="lines"><textarea id="lines" class="input" rows="4" spellcheck="false" placeholder="https://" value=${text} onInput=${(/** @type {any} */ event) => setText(event.currentTarget.value)}></textarea><//>`}`}
    ${state === 'ready' && several.value && html`<div class="field"><span class="label">${say('importDomain')}</span><${Select} label=${say('importDomain')} value=${into} onChange=${setInto} options=${domainOptions()} /></div>`}
    ${state === 'over' && made.length > 0 && html`<p><${CopyButton} text=${made.join('\n')}>${say('copyAll')}<//></p>`}
    ${state !== 'ready' && plan && html`<${Progress} done=${outcomes.length} all=${plan.rows.length} label=${say('import')} />
      <dl class="tally" aria-live="polite">${counts.map(([label, outcome]) => html`<div key=${outcome}><dt>${say(label)}</dt><dd>${count(outcome)}</dd></div>`)}</dl>`}
    ${state !== 'ready' && lost.length > 0 && html`<p class="note">${say('importLost', { names: lost.join(', ') })}</p>`}
    ${state !== 'ready' && left.length > 0 && html`<ul class="report">${left.slice(0, 200).map(({ row, slug, outcome, why, cuts }) => html`<li key=${row}><span class="report-row">${say('rowNumber', { n: row })}</span> <code>${slug}</code> ${outcome === 'made' ? cuts?.join('; ') : outcome === 'failed' ? why : say(outcome === 'same' ? 'importSame' : 'importTaken')}</li>`)}</ul>`}
    ${error && html`<${ErrorNote} error=${error} />`}<//>`;
}

/** @param {{ onClose: () => void }} props */
function Export({ onClose }) {
  const [done, setDone] = useState(0);
  const [all, setAll] = useState(0);
  const [running, setRunning] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const abort = useAbort();
  const run = async (/** @type {() => Promise<void>} */ work) => {
    setRunning(true);
    setError(undefined);
    try {
      setAll((await countLinks({ status: 'all', domain: several.value ? '*' : '' })).count);
      await work();
      onClose();
    } catch (failure) {
      setError(failure);
      setRunning(false);
    }
  };
  const { signal } = abort.current;
  const footer = html`<button type="button" class="button" onClick=${onClose}>${running ? say('stop') : say('cancel')}</button>
    <button type="button" class="button push" disabled=${running || refusalOfExport.value} onClick=${() => run(() => saveTable(signal))}><${Icon} name="down" />CSV</button>
    <button type="button" class="button primary" disabled=${running || refusalOfExport.value} onClick=${() => run(() => saveExport(undefined, { signal, onProgress: setDone }))}><${Icon} name="down" />JSON</button>`;
  return html`<${Dialog} title=${say('export')} class="small" onClose=${onClose} footer=${footer}><${Refusal} why=${refusalOfExport.value} /><p>${say('exportText')}</p>
    ${running && html`<${Progress} done=${done} all=${all} label=${say('export')} />`}${error && html`<${ErrorNote} error=${error} />`}<//>`;
}

/** @param {{ onClose: () => void }} props */
function CheckAll({ onClose }) {
  const [results, setResults] = useState(/** @type {import('../api.js').Schemas['LinkCheck'][]} */ ([]));
  const [all, setAll] = useState(0);
  const [state, setState] = useState(/** @type {'ready' | 'running' | 'over'} */ ('ready'));
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const abort = useAbort();
  const run = async () => {
    setState('running');
    try {
      setAll((await countLinks({ status: 'all', domain: domain.value })).count);
      for (let cursor = /** @type {string | undefined} */ (undefined), complete = false; !complete;) {
        const page = await checkLinks({ limit: 10, cursor, domain: domain.value || undefined }, abort.current.signal);
        setResults((/** @type {any[]} */ old) => [...old, ...page.results]);
        complete = page.list_complete;
        cursor = page.cursor;
      }
    } catch (failure) {
      if (!abort.current.signal.aborted) setError(failure);
    }
    setState('over');
  };
  const bad = results.filter(({ ok }) => !ok);
  const report = () => save('link-check.csv', 'text/csv', writeCsv([['slug', 'url', 'status', 'error', 'ms'], ...results.map((one) => [keyOf(one), one.url, one.status, one.error ?? '', one.duration])]));
  const footer = state === 'ready'
    ? html`<button type="button" class="button" onClick=${onClose}>${say('cancel')}</button><button type="button" class="button primary" disabled=${refusalOfCheck.value !== ''} onClick=${run}>${say('checkStart')}</button>`
    : state === 'running' ? html`<button type="button" class="button" onClick=${() => abort.current.abort()}>${say('stop')}</button>`
      : html`<button type="button" class="button" disabled=${results.length === 0} onClick=${report}><${Icon} name="down" />${say('saveReport')}</button><button type="button" class="button primary push" onClick=${onClose}>${say('done')}</button>`;
  return html`<${Dialog} title=${say('checkLinks')} onClose=${onClose} footer=${footer}>
    ${state === 'ready' ? html`<${Refusal} why=${refusalOfCheck.value} /><p>${say('checkText')}</p>` : html`<${Progress} done=${results.length} all=${all} label=${say('checkLinks')} />
    <p aria-live="polite">${say('checkProgress', { n: results.length, bad: bad.length })}</p>`}
    ${bad.length > 0 && html`<ul class="report">${bad.map(({ slug, domain: host, url, status, error: why }) => html`<li key=${keyOf({ slug, domain: host })}><code>${shownKey(keyOf({ slug, domain: host }))}</code> <span class="warn-text">${status || ''} ${why ?? ''}</span><span class="hint">${url}</span></li>`)}</ul>`}
    ${error && html`<${ErrorNote} error=${error} />`}<//>`;
}
