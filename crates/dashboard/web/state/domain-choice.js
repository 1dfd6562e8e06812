// Which domain a view is about: what its address says, else what was chosen last.
// Without signals, because the page's start needs it before they are there.

/** Every domain, as lists and statistics of the API write it. */
export const ALL = '*';

/** The default domain, as statistics of the API and addresses write it. */
export const DEFAULT = '(none)';

/**
 * A domain: empty for the default one, its host, or `*` for all. A host that is not
 * there any more, and any choice where there is one domain, is the default one.
 * @param {string | undefined} asked In the address. @param {string} remembered @param {readonly string[] | undefined} hosts Undefined until they are known.
 */
export function chosenDomain(asked, remembered, hosts) {
  const wanted = asked || remembered;
  if (wanted === DEFAULT || hosts?.length === 0) return '';
  return wanted === ALL || !hosts || hosts.includes(wanted) ? wanted : '';
}
