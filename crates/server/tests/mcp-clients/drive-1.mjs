// The official client, major version 1. Reads and writes the same as drive-2.mjs.

import { json } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

async function session({ url, token, bridge, calls }) {
  const client = new Client({ name: 'slugline-tests', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${token}` };
  const transport = bridge
    ? new StdioClientTransport({ command: bridge[0], args: bridge.slice(1), env: { SLUGLINE_SITE_TOKEN: token } })
    : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  // The client tells its transport, and nobody else, what was agreed.
  let version;
  const tell = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (agreed) => {
    version = agreed;
    tell?.(agreed);
  };
  await client.connect(transport);
  const { tools } = await client.listTools();
  const results = [];
  for (const call of calls) {
    results.push(await client.callTool({ name: call.tool, arguments: call.arguments }));
  }
  const count = { name: 'count_links', arguments: {} };
  const together = await Promise.all(calls.map(() => client.callTool(count)));
  const told = {
    version,
    server: client.getServerVersion(),
    tools: tools.map((tool) => tool.name),
    results,
    together: together.length,
  };
  await client.close();
  return told;
}

console.log(JSON.stringify(await Promise.all((await json(process.stdin)).map(session))));
