// Errors of the API, in the shape that its OpenAPI document gives them.

/** @typedef {{ path: string[], message: string, expected: string }} Issue */

export class ApiError extends Error {
  /**
   * @param {number} status 0 when there was no answer.
   * @param {string} code A stable word such as `unauthorized`.
   * @param {string} message
   * @param {Issue[]} [issues]
   * @param {number} [retryAfter] Seconds.
   * @param {import('./api.js').Link} [link] As it is, where the error is that it is no longer what it was.
   */
  constructor(status, code, message, issues = [], retryAfter, link) {
    super(message);
    this.status = status;
    this.code = code;
    this.issues = issues;
    this.retryAfter = retryAfter;
    this.link = link;
    /** The scope that the token lacks, where that is the error. @type {string | undefined} */
    this.scope = undefined;
    /** A slug that no link has, where the one that was asked for is taken. @type {string | undefined} */
    this.freeSlug = undefined;
    /** The version of that link. */
    this.version = '';
  }

  /** The fault of one member, if it has one. @param {string} member */
  issueOf(member) {
    return this.issueAt(member, true);
  }

  /** The fault at a path such as `rules.0.url`, if there is one. @param {string} path @param {boolean} [below] Or below it. */
  issueAt(path, below = false) {
    const issue = this.issues.find(({ path: parts }) => {
      const whole = parts.join('.');
      return whole === path || (below && whole.startsWith(`${path}.`));
    });
    return issue ? sentence(issue) : undefined;
  }
}

/**
 * Whether the same request may well succeed a little later. A question that took
 * too long would take as long again.
 * @param {any} error
 */
export const isPassing = (error) => error instanceof ApiError && error.code !== 'query_timeout' && [0, 429, 502, 503, 504].includes(error.status);

/** @param {Issue} issue */
export function sentence({ message, expected }) {
  return expected && !message.includes(expected) ? `${message.replace(/\.$/, '')}; expected: ${expected}` : message;
}

/**
 * What an answer that is no success says.
 * @param {number} status @param {string} text @param {string | null} [retryAfter]
 */
export function problemOf(status, text, retryAfter) {
  const wait = Number(retryAfter) || undefined;
  try {
    const problem = JSON.parse(text);
    const issues = Array.isArray(problem.data?.issues) ? problem.data.issues : [];
    // The title of some codes is that of their status, which says nothing.
    const title = problem.statusMessage === 'Bad Request' ? '' : problem.statusMessage;
    const message = issues.length > 0 ? sentence(issues[0]) : title || problem.message;
    const error = new ApiError(status, String(problem.code ?? ''), String(message), issues, wait, problem.data?.link);
    error.scope = problem.data?.scope;
    error.freeSlug = problem.freeSlug;
    return error;
  } catch {
    return new ApiError(status, '', text.slice(0, 200) || `HTTP ${status}`, [], wait);
  }
}
