// The door: over the whole page, or over a page whose token was refused.
import { verify } from './api.js';
import { Check } from './parts/controls.js';
import { Icon } from './parts/icon.js';
import { wording } from './parts/notes.js';
import { ApiError } from './problem.js';
import { Mark } from './shell.js';
import { offerFault } from './state/offer.js';
import { expired, signIn } from './state/session.js';
import { html, useEffect, useRef, useState } from './view.js';
import { say } from './words.js';

export function SignIn() {
  const [text, setText] = useState('');
  const [shown, setShown] = useState(false);
  const [remember, setRemember] = useState(false);
  const [error, setError] = useState('');
  const [wait, setWait] = useState(0);
  const [checking, setChecking] = useState(false);
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (wait <= 0) return undefined;
    const timer = setTimeout(() => setWait(wait - 1), 1_000);
    return () => clearTimeout(timer);
  }, [wait]);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    setChecking(true);
    setError('');
    offerFault.value = '';
    try {
      const { scopes } = await verify(text.trim());
      signIn(text.trim(), remember, scopes);
    } catch (failure) {
      const { status, retryAfter } = failure instanceof ApiError ? failure : { status: 0, retryAfter: undefined };
      if (status === 429) setWait(retryAfter ?? 60);
      setError(status === 401 ? say('wrongToken') : status === 429 ? '' : wording(failure));
      field.current?.select();
    } finally {
      setChecking(false);
    }
  };
  const told = wait > 0 ? say('tooManyAttempts', { n: wait }) : error || offerFault.value;
  return html`<div class="door ${expired.value ? 'over' : ''}"><form class="door-box" onSubmit=${submit} aria-label=${say('signIn')}>
    <div class="door-brand"><${Mark} /><h1>Slugline</h1></div>
    ${expired.value && html`<p class="door-note">${say('sessionOver')}</p>`}
    <div class="field ${told ? 'has-error' : ''}"><label for="token">${say('token')}</label>
      <div class="with-inside"><input ref=${field} id="token" class="input mono" type=${shown ? 'text' : 'password'} autocomplete="current-password" spellcheck="false" value=${text} aria-invalid=${told ? 'true' : undefined} aria-describedby="token-told" onInput=${(/** @type {any} */ event) => setText(event.currentTarget.value)} />
      <button type="button" class="icon-button" aria-label=${say('showToken')} title=${say('showToken')} aria-pressed=${shown} onClick=${() => setShown(!shown)}><${Icon} name="eye" /></button></div>
      <div class="field-error" id="token-told" role="alert">${told}</div></div>
    <${Check} label=${say('remember')} checked=${remember} onChange=${setRemember} />
    <button type="submit" class="button primary wide" disabled=${checking || wait > 0 || !text.trim()}>${say('signIn')}</button>
    <p class="door-help">${say('tokenHelp')}</p>
  </form></div>`;
}
