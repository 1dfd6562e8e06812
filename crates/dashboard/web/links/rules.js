// The rules of a link, in their order: the first whose conditions all hold decides.
import { Field, IconButton, Select, TextInput } from '../parts/controls.js';
import { Icon } from '../parts/icon.js';
import { allZones, ownZone } from '../time/clock.js';
import { html } from '../view.js';
import { say } from '../words.js';
import { Condition } from './condition.js';
import { KINDS, kindsOf, moved, readsClock, withKind, withoutKind } from './conditions.js';

/** @typedef {import('./conditions.js').Rule} Rule */
/** @typedef {(path: string, below?: boolean) => string | undefined} Issue The fault at a path, such as `rules.0.url`, or below it. */

/** Bounds of the server. */
const MOST_RULES = 20;
const MOST_CONDITIONS = 8;

/** @param {{ rules: Rule[], issue: Issue, onChange: (rules: Rule[]) => void }} props */
export function Rules({ rules, issue, onChange }) {
  const put = (/** @type {number} */ at, /** @type {Partial<Rule>} */ part) => onChange(rules.map((rule, place) => (place === at ? { ...rule, ...part } : rule)));
  const error = issue('rules');
  return html`<div class="field rules"><span class="label">${say('rules')}</span><div class="hint">${say('rulesHint')}</div>
    ${rules.map((rule, at) => html`<${OneRule} key=${at} rule=${rule} at=${at} last=${at === rules.length - 1} issue=${issue} onChange=${(/** @type {Partial<Rule>} */ part) => put(at, part)}
      onMove=${(/** @type {number} */ by) => onChange(moved(rules, at, by))} onRemove=${() => onChange(rules.filter((_, place) => place !== at))} />`)}
    ${rules.length < MOST_RULES && html`<button type="button" class="text-button" onClick=${() => onChange([...rules, { when: {}, url: '' }])}><${Icon} name="add" />${say('addRule')}</button>`}
    ${error && html`<div class="field-error" role="alert">${error}</div>`}</div>`;
}

/** @param {{ rule: Rule, at: number, last: boolean, issue: Issue, onChange: (part: Partial<Rule>) => void, onMove: (by: number) => void, onRemove: () => void }} props */
function OneRule({ rule, at, last, issue, onChange, onMove, onRemove }) {
  const { when } = rule;
  const kinds = kindsOf(when);
  const path = `rules.${at}`;
  const id = `rule-${at}`;
  const left = Object.entries(KINDS).filter(([kind]) => !(kind in when));
  const zone = when.timeZone ?? 'UTC';
  const fault = issue(`${path}.when`) ?? issue(path);
  return html`<fieldset class="rule" data-rule=${at}><legend class="off-screen">${say('ruleNumber', { n: at + 1 })}</legend>
    <div class="rule-head"><strong aria-hidden="true">${say('ruleNumber', { n: at + 1 })}</strong>
      <${IconButton} icon="chevron" class="push rule-up" label=${say('moveUp')} disabled=${at === 0} onClick=${() => onMove(-1)} />
      <${IconButton} icon="chevron" label=${say('moveDown')} disabled=${last} onClick=${() => onMove(1)} />
      <${IconButton} icon="trash" label=${say('removeRule', { n: at + 1 })} onClick=${onRemove} /></div>
    ${kinds.map((kind) => html`<${Condition} key=${kind} id="${id}-${kind}" kind=${kind} value=${when[kind]} zone=${zone} error=${issue(`${path}.when.${kind}`, true)}
      onChange=${(/** @type {any} */ value) => onChange({ when: { ...when, [kind]: value } })} onRemove=${() => onChange({ when: withoutKind(when, kind) })} />`)}
    ${(readsClock(when) || issue(`${path}.when.timeZone`)) && html`<div class="field"><span class="label">${say('zone')}</span><${Select} label=${say('zone')} class="rule-zone" value=${zone} onChange=${(/** @type {string} */ timeZone) => onChange({ when: { ...when, timeZone } })}
      options=${[...new Set([zone, ...allZones()])].map((name) => [name, name])} />${issue(`${path}.when.timeZone`) && html`<div class="field-error" role="alert">${issue(`${path}.when.timeZone`)}</div>`}</div>`}
    ${kinds.length < MOST_CONDITIONS && html`<${Select} label=${say('addCondition')} class="add-condition" value="" onChange=${(/** @type {string} */ kind) => kind && onChange({ when: withKind(when, kind, ownZone()) })}
      options=${[['', say('addCondition')], ...left.map(([kind, { word }]) => [kind, say(word)])]} />`}
    ${fault && html`<div class="field-error" role="alert">${fault}</div>`}
    <${Field} label=${say('destination')} id="${id}-url" error=${issue(`${path}.url`)}><${TextInput} id="${id}-url" type="url" inputmode="url" autocomplete="off" spellcheck="false" placeholder="https://" value=${rule.url} error=${issue(`${path}.url`)} onInput=${(/** @type {string} */ url) => onChange({ url })} /><//>
  </fieldset>`;
}
