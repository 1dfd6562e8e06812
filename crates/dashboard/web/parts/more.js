// The end of a list that goes on.
import { html, useEffect, useRef } from '../view.js';
import { say } from '../words.js';

/** Fetches the next page when it comes near. @param {{ onMore: () => void, loading: boolean }} props */
export function More({ onMore, loading }) {
  const element = useRef(/** @type {HTMLElement | null} */ (null));
  const latest = useRef(onMore);
  latest.current = onMore;
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) latest.current(); }, { rootMargin: '600px' });
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, [loading]);
  return html`<div class="more" ref=${element}><button type="button" class="button" disabled=${loading} onClick=${onMore}>${loading ? say('loading') : say('showMore')}</button></div>`;
}
