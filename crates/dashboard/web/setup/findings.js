// What an instance says of its own set-up.

/**
 * @typedef {import('../api.js').Schemas['Finding']} Finding
 * @typedef {Finding['fix']} Fix
 */

/** What mends a finding, as it is written into an environment file or typed. @param {Fix} fix */
export function mends(fix) {
  if ('command' in fix) return fix.command;
  return `${fix.setting}=${fix.value ?? ''}`;
}

/** Findings that are said in the reader's language. `{value}` is that of the setting which mends it: the proxy's address, or its header. @type {Record<string, import('../words.js').Word>} */
export const WORDS = {
  short_token: 'findShortToken', base_url_missing: 'findNoBase', places_unknown: 'findNoPlaces', visits_kept_for_good: 'findKept', migration_required: 'findMigration',
  visits_not_stored: 'findNotStored', spool_full: 'findSpool', visits_not_shipped: 'findNotShipped', visits_damaged: 'findDamaged',
  untrusted_proxy: 'findUntrustedProxy', other_client_header: 'findOtherHeader',
};

/** A message as a sentence; an address at its beginning keeps its letters. @param {string} message */
export const sentenceOf = (message) => `${/^\w+:\/\//.test(message) ? message : message.charAt(0).toUpperCase() + message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
