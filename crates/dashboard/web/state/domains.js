// The domains of the instance, and the one that the view is about.
import { computed, signal } from '../view.js';
import { publicHost } from '../links/short-link.js';
import { say } from '../words.js';
import { lastDomain } from './choices.js';
import { ALL, DEFAULT, chosenDomain } from './domain-choice.js';
import { change, view } from './router.js';

/** Hosts of the named domains; undefined until they are known. @type {import('../view.js').Signal<readonly string[] | undefined>} */
export const hosts = signal(/** @type {any} */ (undefined));

/** Whether there is more than one domain: only then is any of them shown. */
export const several = computed(() => (hosts.value?.length ?? 0) > 0);

/** Empty for the default domain, a host, or `*`. */
export const domain = computed(() => chosenDomain(view.value.query.domain, lastDomain.value, hosts.value));

/** The domain of what is made here. */
export const domainOfNew = computed(() => (domain.value === ALL ? '' : domain.value));

/** Shows another domain, now and next time. @param {string} chosen */
export function chooseDomain(chosen) {
  lastDomain.value = chosen;
  change({ domain: chosen || DEFAULT, edit: undefined, new: undefined, qr: undefined, slug: undefined });
}

/** Its name for people. @param {string | undefined} host */
export const domainName = (host) => (host === ALL ? say('allDomains') : host || publicHost());

/** The default domain and the named ones, to choose from. @returns {[string, string][]} */
export const domainOptions = () => ['', ...(hosts.value ?? [])].map((host) => [host, domainName(host)]);

/** What statistics of this view ask; nothing where there is one domain. @returns {{ domain?: string }} */
export const visitsOfDomain = () => (several.value && domain.value !== ALL ? { domain: domain.value || DEFAULT } : {});
