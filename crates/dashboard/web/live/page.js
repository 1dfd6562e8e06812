// Visits as they happen.
import { addressOf } from '../address.js';
import { keyOf, shownKey } from '../links/key.js';
import { Chip } from '../parts/controls.js';
import { Flag } from '../parts/flag.js';
import { Icon } from '../parts/icon.js';
import { Empty, ErrorNote } from '../parts/notes.js';
import { addShortcuts } from '../shortcuts.js';
import { domainName, several, visitsOfDomain } from '../state/domains.js';
import { change, follow, view } from '../state/router.js';
import { countryName } from '../text/country.js';
import { bare, middleCut } from '../text/shorten.js';
import { html, useEffect, useRef, useState } from '../view.js';
import { say, tag } from '../words.js';
import { inLastMinute, withVisits } from './visits.js';
import { watch } from './watch.js';

/** @typedef {import('./visits.js').Visit} Visit */

export function LivePage() {
  const { slug } = view.value.query;
  const which = slug ? { slug } : visitsOfDomain();
  const key = JSON.stringify(which);
  const [visits, setVisits] = useState(/** @type {Visit[]} */ ([]));
  const [waiting, setWaiting] = useState(/** @type {Visit[]} */ ([]));
  const [paused, setPaused] = useState(false);
  const [standing, setStanding] = useState(/** @type {import('./watch.js').Standing} */ ({ state: 'starting' }));
  const [error, setError] = useState(/** @type {any} */ (undefined));
  const [now, setNow] = useState(Date.now() / 1000);
  const [visible, setVisible] = useState(!document.hidden);
  const held = useRef(false);
  held.current = paused;

  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 1_000);
    const seen = () => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', seen);
    return () => { clearInterval(timer); document.removeEventListener('visibilitychange', seen); };
  }, []);
  // Browsers allow few connections to one host: a hidden page gives its own back.
  useEffect(() => {
    if (!visible) return undefined;
    const abort = new AbortController();
    setError(undefined);
    watch({
      which, signal: abort.signal, onStanding: setStanding, onError: setError,
      onVisits: (added) => (held.current ? setWaiting : setVisits)((/** @type {Visit[]} */ known) => withVisits(known, added)),
    });
    return () => abort.abort();
  }, [key, visible]);
  useEffect(() => { setVisits([]); setWaiting([]); }, [key]);
  const resume = () => {
    setVisits((/** @type {Visit[]} */ known) => withVisits(known, waiting));
    setWaiting([]);
    setPaused(false);
  };
  const toggle = () => (paused ? resume() : setPaused(true));
  useEffect(() => addShortcuts([{ keys: 'Space', word: paused ? 'resume' : 'pause', group: 'live', run: toggle }]));
  useEffect(() => {
    const scrolled = () => { if (scrollY > 80 && !held.current) setPaused(true); };
    addEventListener('scroll', scrolled, { passive: true });
    return () => removeEventListener('scroll', scrolled);
  }, []);

  const fresh = waiting.filter(({ id }) => !visits.some((visit) => visit.id === id)).length;
  return html`<div class="page live"><h1 class="off-screen">${say('pageLive')}</h1>
    <div class="toolbar">
      <span class="live-state"><i class="live-dot ${paused ? 'paused' : standing.state}"></i>${paused ? say('livePaused') : standing.state === 'waiting' ? say('liveReconnecting', { n: standing.seconds }) : say('pageLive')}</span>
      <span class="live-count">${say('inLastMinute', { n: inLastMinute(withVisits(visits, waiting), now) })}</span>
      ${slug && html`<${Chip} text=${shownKey(slug)} label=${say('removeFilter')} onRemove=${() => change({ slug: undefined })} />`}
      <button type="button" class="button push" onClick=${toggle}><${Icon} name=${paused ? 'resume' : 'pause'} />${paused ? say('resume') : say('pause')}</button>
    </div>
    ${standing.state === 'polling' && html`<p class="note">${say('livePolling')}</p>`}
    ${error && html`<${ErrorNote} error=${error} again=${() => location.reload()} />`}
    ${paused && fresh > 0 && html`<button type="button" class="live-fresh" onClick=${() => { scrollTo(0, 0); resume(); }}>${say('newVisits', { n: fresh })}</button>`}
    ${visits.length === 0 ? html`<div class="card"><${Empty} icon="bolt" title=${say(standing.state === 'starting' ? 'loading' : 'liveEmpty')} text=${standing.state === 'starting' ? undefined : say('liveEmptyText')}><span class="waiting" aria-hidden="true"></span><//></div>`
      : html`<ol class="events">${visits.map((visit) => html`<${Event} key=${visit.id} visit=${visit} />`)}</ol>`}
  </div>`;
}

/** @param {{ visit: Visit }} props */
function Event({ visit }) {
  const moment = new Date(visit.timestamp * 1000);
  const today = moment.toDateString() === new Date().toDateString();
  const time = new Intl.DateTimeFormat(tag.value, { ...(today ? {} : { month: 'short', day: 'numeric' }), hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(moment);
  const place = visit.city ? visit.city.replace(/^\S+ /, '').replace(/,[^,]*$/, '') : '';
  const country = visit.country && html`<${Flag} code=${visit.country} />${place || countryName(visit.country, tag.value)}`;
  const query = { slug: keyOf(visit) };
  return html`<li class="event"><time title=${moment.toLocaleString(tag.value)}>${time}</time><span class="event-place" title=${visit.country ? countryName(visit.country, tag.value) : ''}>${country}</span>
    <span class="event-link"><a class="mono" href=${addressOf('live', query)} onClick=${(/** @type {MouseEvent} */ event) => follow(event, 'live', query)}>${several.value && html`<span class="row-host">${domainName(visit.domain)}</span>`}/${visit.slug}</a><span class="event-url">${middleCut(bare(visit.url), 44)}</span></span>
    <span class="event-program">${visit.browserType && html`<span class="chip quiet">${visit.browserType}</span>`}${[visit.browser, visit.os].filter(Boolean).join(', ')}</span><span class="event-referer">${visit.referer}</span></li>`;
}
