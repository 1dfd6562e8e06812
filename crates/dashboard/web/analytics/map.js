// Visits on a map of the world. The table beside it says the same in words.
import { locations } from '../api.js';
import { HEIGHT, WIDTH, project } from '../chart/equal-earth.js';
import { heatSteps } from '../chart/heat.js';
import { fetchPart } from '../fetching.js';
import { useLoaded } from '../load.js';
import { ErrorNote } from '../parts/notes.js';
import { countryName } from '../text/country.js';
import { html, useState } from '../view.js';
import { figures, say, tag } from '../words.js';

const SHAPES = new URL('../../vendor/world-atlas-2.0.2/world.json', import.meta.url).href;

/** Borders as paths by country code, fetched when somebody opens the map. @returns {Promise<Record<string, string>>} */
const loadShapes = () => fetchPart((again) => fetch(SHAPES + again).then((answer) => (answer.ok ? answer.json() : Promise.reject(answer.status))));

/** @param {{ asked: Record<string, string | number>, rows: import('./panel.js').Row[], visitors: Map<string, number | undefined>, chosen: string[], onToggle: import('./panel.js').Toggle }} props */
export function WorldMap({ asked, rows, visitors, chosen, onToggle }) {
  const world = useLoaded('world', loadShapes);
  const [pointed, setPointed] = useState('');
  const places = useLoaded(JSON.stringify(asked), (signal) => locations({ ...asked, limit: 300 }, signal).then(({ data }) => data));
  const countries = new Map(rows.map(({ name, count }) => [name, count]));
  const steps = heatSteps(rows.map(({ count }) => count));
  const step = new Map(rows.map(({ name }, at) => [name, steps[at] ?? 0]));
  const most = Math.max(1, ...(places.data ?? []).map(({ count }) => count));
  const text = (/** @type {string} */ code) => {
    const [visits, people] = [countries.get(code) ?? 0, visitors.get(code)];
    return `${countryName(code, tag.value)}: ${say('visitCount', { n: visits })}${people === undefined ? '' : `, ${say('visitorCount', { n: people })}`}`;
  };
  return html`${world.error && html`<${ErrorNote} error=${world.error} again=${world.again} />`}<div class="map"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${say('map')} onPointerLeave=${() => setPointed('')}>
    ${world.data && Object.entries(world.data).map(([code, path]) => html`<path key=${code} d=${path} class="land h${step.get(code) ?? 0} ${chosen.includes(code) ? 'on' : ''} ${countries.has(code) ? 'has' : ''}" onPointerEnter=${() => setPointed(code)} onClick=${(/** @type {MouseEvent} */ event) => countries.has(code) && onToggle('country', code, event.altKey)} />`)}
    ${(places.data ?? []).map(({ city, latitude, longitude, count }) => {
      const [x, y] = project(longitude, latitude);
      return html`<circle key=${`${latitude} ${longitude} ${city}`} class="city" cx=${x.toFixed(1)} cy=${y.toFixed(1)} r=${(2.5 + 7 * Math.sqrt(count / most)).toFixed(1)}><title>${city || say('unknown')}: ${figures.value.full(count)}</title></circle>`;
    })}</svg><div class="map-name" aria-hidden="true">${pointed ? text(pointed) : ''}</div></div>`;
}
