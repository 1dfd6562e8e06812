// One line of the audit trail.
import { addressOf } from '../address.js';
import { keyOf } from '../links/key.js';
import { domainName, several } from '../state/domains.js';
import { follow } from '../state/router.js';
import { html } from '../view.js';
import { say, tag } from '../words.js';
import { CALLERS, OPERATIONS } from './query.js';

/** The word for a caller that is no named token. @param {string} name */
function fixedName(name) {
  const word = CALLERS.find(([fixed]) => fixed === name)?.[1];
  return word && say(word);
}

/** What a person calls a caller. @param {string} name */
export const callerName = (name) => fixedName(name) ?? name;

/** A caller in a line. A token may have the name that is our word for another caller, so that word looks different. @param {string} name */
function shownCaller(name) {
  const fixed = fixedName(name);
  return fixed ? html`<i>${fixed}</i>` : html`<bdi>${name}</bdi>`;
}

/** A later server may know more. @param {string} operation */
function operationName(operation) {
  const word = OPERATIONS.find(([name]) => name === operation)?.[1];
  return word ? say(word) : operation;
}

/** @param {{ line: import('../api.js').Schemas['AuditLine'] }} props */
export function Line({ line }) {
  const { at, caller, operation, slug, domain, token, client } = line;
  const host = several.value || domain ? domainName(domain) : '';
  const moment = new Date(at * 1000);
  const time = new Intl.DateTimeFormat(tag.value, { dateStyle: 'medium', timeStyle: 'medium' }).format(moment);
  const to = (/** @type {Record<string, string>} */ query, /** @type {any} */ text, /** @type {string} */ name) => html`<a class=${name} href=${addressOf('audit', query)} onClick=${(/** @type {MouseEvent} */ event) => follow(event, 'audit', query)}>${text}</a>`;
  return html`<li class="audit-line"><time datetime=${moment.toISOString()} title=${moment.toISOString()}>${time}</time>
    <span class="audit-what ${operation.endsWith('delete') || operation.endsWith('revoke') || operation.endsWith('remove') || operation.endsWith('erase') ? 'gone' : ''}">${operationName(operation)}</span>
    <span class="audit-object">${slug ? to({ slug: keyOf({ slug, domain }) }, html`${host && html`<span class="row-host">${host}</span>`}/${slug}`, 'mono') : domain ? html`<span class="mono">${domain}</span>` : html`<bdi>${token ?? ''}</bdi>`}</span>
    <span class="audit-who">${to({ caller }, shownCaller(caller), '')}</span>
    <span class="audit-client mono" title=${client ? say('auditClient') : ''}>${client ? client.slice(0, 8) : ''}</span></li>`;
}
