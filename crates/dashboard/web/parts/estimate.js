// Says that numbers are estimates, and why.
import { html } from '../view.js';
import { say } from '../words.js';
import { Icon } from './icon.js';

/** @param {{ sampling: import('../api.js').Schemas['SamplingView'] }} props */
export function Estimate({ sampling }) {
  return html`<span class="chip quiet estimate" title=${say('estimateText', { n: sampling.interval_max, dropped: sampling.dropped })}><${Icon} name="info" />${say('estimate')}</span>`;
}
