// What other programs need to use this instance.

/** Stands where the token will be, until it is shown. */
export const HIDDEN = '••••••••';

/**
 * @param {string} address Of the instance, without a slash at the end. @param {string} token
 * @param {boolean} [byAddress] Assistants connect by the address alone.
 * @returns {{ name: string, where: string, text: string }[]}
 */
export function snippets(address, token, byAddress) {
  const url = `${address}/api/mcp`;
  const authorization = `Bearer ${token}`;
  const json = (/** @type {unknown} */ value) => JSON.stringify(value, null, 2);
  return [
    ...(byAddress ? [{ name: 'claude.ai, ChatGPT', where: 'MCP', text: url }] : []),
    { name: 'Claude Code', where: 'shell', text: `claude mcp add --transport http slugline ${url} --header "Authorization: ${authorization}"` },
    { name: 'Claude Desktop', where: 'claude_desktop_config.json', text: json({ mcpServers: { slugline: { command: 'slugline', args: ['mcp', '--url', address], env: { SLUGLINE_SITE_TOKEN: token } } } }) },
    { name: 'Cursor', where: '.cursor/mcp.json', text: json({ mcpServers: { slugline: { url, headers: { Authorization: authorization } } } }) },
    { name: 'VS Code', where: '.vscode/mcp.json', text: json({ servers: { slugline: { type: 'http', url, headers: { Authorization: authorization } } } }) },
    { name: 'curl', where: 'shell', text: `curl ${address}/api/link/create -H 'Authorization: ${authorization}' --json '{"url":"https://example.com/"}'` },
  ];
}

/** Opens a new link with the address of the page. No token: whoever sees bookmarks would see it. @param {string} dashboard */
export function bookmarklet(dashboard) {
  return `javascript:void open(${JSON.stringify(`${dashboard}links?url=`)}+encodeURIComponent(location.href))`;
}

/** A custom uploader of ShareX (its version 13 form). @param {string} address @param {string} token */
export function shareX(address, token) {
  return JSON.stringify({
    Version: '13.7.0', Name: 'Slugline', DestinationType: 'URLShortener', RequestMethod: 'POST', RequestURL: `${address}/api/link/create`,
    Headers: { Authorization: `Bearer ${token}` }, Body: 'JSON', Data: '{"url":"{input}"}', URL: '{json:shortLink}', ErrorMessage: '{json:message}',
  }, null, 2);
}
