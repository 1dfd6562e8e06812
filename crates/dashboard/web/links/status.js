// Whether a link leads to its destination at the moment, and if not, why.

/** @typedef {'active' | 'scheduled' | 'expired' | 'used-up' | 'disabled'} Status */
/** @typedef {{ status?: string, disabled?: boolean, expiration?: number, maxVisits?: number, visitsLeft?: number, startsAt?: number }} Life */

/** @type {Readonly<Record<Status, import('../words.js').Word>>} */
export const STATUS_WORDS = { active: 'statusActive', scheduled: 'statusScheduled', expired: 'statusExpired', 'used-up': 'statusUsedUp', disabled: 'statusDisabled' };

/** As the server decides it; its word counts where it says one. @param {Life} link @param {number} now Unix seconds. @returns {Status} */
export function statusOf(link, now) {
  const said = link.status;
  if (said && said in STATUS_WORDS) return /** @type {Status} */ (said);
  if (link.disabled) return 'disabled';
  if (link.expiration !== undefined && link.expiration <= now) return 'expired';
  if (link.maxVisits !== undefined && link.visitsLeft === 0) return 'used-up';
  return link.startsAt !== undefined && now < link.startsAt ? 'scheduled' : 'active';
}
