// Whether the instance is a demonstration, as it said when it refused a change.
import { signal } from '../view.js';

export const demonstration = signal(false);
