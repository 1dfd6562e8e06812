// Two people who changed the same link: what each of them did.

/** @typedef {import('./draft.js').Draft} Draft */
/** @typedef {keyof Draft} Member */

/** The same decision for members that mean nothing apart. @type {Partial<Record<Member, Member>>} */
const TOGETHER = { password: 'passwordMode' };

/** Members that differ. @param {Draft} before @param {Draft} after @returns {Member[]} */
export function changed(before, after) {
  const members = /** @type {Member[]} */ (Object.keys(after));
  return members.filter((member) => !(member in TOGETHER) && JSON.stringify(before[member]) !== JSON.stringify(after[member]));
}

/**
 * Members that both changed, and not to the same.
 * @param {Draft} base What both began with. @param {Draft} mine @param {Draft} theirs
 */
export function disputed(base, mine, theirs) {
  const here = changed(base, mine);
  return changed(base, theirs).filter((member) => here.includes(member) && JSON.stringify(mine[member]) !== JSON.stringify(theirs[member]));
}

/**
 * Their version with what was changed here, but for members that were given up.
 * @param {Draft} base @param {Draft} mine @param {Draft} theirs @param {ReadonlySet<Member>} [given] Members whose version is theirs.
 * @returns {Draft}
 */
export function merged(base, mine, theirs, given = new Set()) {
  /** @type {any} */
  const draft = { ...theirs };
  for (const member of changed(base, mine)) {
    if (given.has(member)) continue;
    draft[member] = mine[member];
    for (const [follower, leader] of Object.entries(TOGETHER)) {
      if (leader === member) draft[follower] = mine[/** @type {Member} */ (follower)];
    }
  }
  return draft;
}
