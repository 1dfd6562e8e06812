// How much is known of where visitors are, as the instance says of itself.
import { signal } from '../view.js';

/** Whether something says countries, and continents with them. */
export const countriesKnown = signal(true);

/** Whether something says regions and cities, too. */
export const citiesKnown = signal(true);

/** What countries are looked up in, where its licence asks for a link to it. @type {import('../view.js').Signal<import('../api.js').Schemas['Countries'] | undefined>} */
export const countrySource = signal(/** @type {any} */ (undefined));
