// Whether a deletion can be undone.
import { signal } from '../view.js';

/** Whether deleted links are kept for a while, as the instance says of itself. */
export const hasTrash = signal(true);
