// A token for a program that connects: it permits what programs need, and can be revoked alone.
import { makeToken } from '../api.js';

/** @typedef {import('../state/session.js').Scope} Scope */

/** Links and visits, without administration. @type {Scope[]} */
export const FOR_PROGRAMS = ['links:read', 'links:write', 'analytics:read'];

/**
 * Makes a token that has the name of the program, with a number where that is taken.
 * @param {string} program @param {Scope[]} scopes
 */
export async function tokenFor(program, scopes) {
  for (let number = 1; ; number += 1) {
    try {
      return (await makeToken({ name: number === 1 ? program : `${program} ${number}`, scopes })).token;
    } catch (/** @type {any} */ error) {
      if (error.code !== 'token_name_taken') throw error;
    }
  }
}
