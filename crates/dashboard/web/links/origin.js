// Where the links of a domain are.

/**
 * The public address, or that of a named domain, which has its scheme and port.
 * @param {string} address Public, without a slash at the end. @param {string | undefined} domain
 */
export function originOf(address, domain) {
  if (!domain) return address;
  const { protocol, port } = new URL(address);
  return `${protocol}//${domain}${port && `:${port}`}`;
}
