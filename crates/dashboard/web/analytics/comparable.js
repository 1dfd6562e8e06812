// How many links a chart can tell apart.

/** More lines than that are a tangle. */
export const MOST_LINES = 5;

/** Whether links can have a line each. @param {readonly string[]} slugs */
export const comparable = (slugs) => slugs.length >= 2 && slugs.length <= MOST_LINES;
