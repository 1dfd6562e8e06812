// Whether a rule can know where visitors are.
import { signal } from '../view.js';

/** Whether something says where visitors are, as the instance says of itself. */
export const placesKnown = signal(true);
