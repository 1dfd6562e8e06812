// Connects with the official client in one mode and does the main job through
// tools. Arguments: URL of the endpoint, site token, mode (legacy, auto or a
// revision to pin). Prints one JSON object; any surprise ends with status 1.

import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, token, mode] = process.argv.slice(2);
const pinned = /^\d{4}-/.test(mode);
const client = new Client(
  { name: 'slugline-tests', version: '1.0.0' },
  { versionNegotiation: { mode: pinned ? { pin: mode } : mode } },
);
const headers = { Authorization: `Bearer ${token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.content[0].type, 'text');
  if (!result.isError) {
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  }
  return result;
};

const { tools } = await client.listTools();
const slug = `made-${mode}`;

const made = await call('create_link', { url: 'https://example.com/mcp', slug, tags: ['agent'] });
assert.equal(made.structuredContent.link.slug, slug);

const taken = await call('create_link', { url: 'https://example.com/mcp', slug });
assert.equal(taken.isError, true);
assert.match(taken.content[0].text, /409 Link already exists/);

const wrong = await call('create_link', { url: 'nonsense' });
assert.equal(wrong.isError, true);
assert.match(wrong.content[0].text, /url: URL format is invalid/);

const read = await call('get_link', { slug });
assert.deepEqual(read.structuredContent, made.structuredContent.link);

const listed = await call('list_links', { tag: 'agent', limit: '1' });
assert.equal(listed.structuredContent.links.length, 1);

const counters = await call('get_analytics_counters', { slug });
assert.equal(counters.structuredContent.data[0].visits, 0);
assert.equal(counters.structuredContent.sampling.exact, true);

const doomed = await call('create_link', { url: 'https://example.com/' });
const deleted = await call('delete_link', { slug: doomed.structuredContent.link.slug });
assert.deepEqual(deleted.structuredContent, { slug: doomed.structuredContent.link.slug, deleted: true });
const missing = await call('get_link', { slug: doomed.structuredContent.link.slug });
assert.equal(missing.isError, true);
assert.match(missing.content[0].text, /404 Link not found/);

console.log(JSON.stringify({
  version: client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion(),
  tools: tools.map((tool) => tool.name),
  shortLink: made.structuredContent.shortLink,
}));
await client.close();
