// The official client, major version 2. Reads on standard input what to do, a
// list of {url, token, mode, bridge, calls}, and writes what came of each,
// {version, server, tools, results}. With `bridge`, a command, it speaks stdio.

import { json } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

async function session({ url, token, mode, bridge, calls }) {
  const pinned = /^\d{4}-/.test(mode);
  const client = new Client(
    { name: 'slugline-tests', version: '1.0.0' },
    { versionNegotiation: { mode: pinned ? { pin: mode } : mode } },
  );
  const headers = { Authorization: `Bearer ${token}` };
  const transport = bridge
    ? new StdioClientTransport({ command: bridge[0], args: bridge.slice(1), env: { SLUGLINE_SITE_TOKEN: token } })
    : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const results = [];
  for (const call of calls) {
    results.push(await client.callTool({ name: call.tool, arguments: call.arguments }));
  }
  // Many at once, whose answers must find their way.
  const count = { name: 'count_links', arguments: {} };
  const together = await Promise.all(calls.map(() => client.callTool(count)));
  const told = {
    version: client.getNegotiatedProtocolVersion(),
    server: client.getServerVersion(),
    tools: tools.map((tool) => tool.name),
    results,
    together: together.length,
  };
  await client.close();
  return told;
}

console.log(JSON.stringify(await Promise.all((await json(process.stdin)).map(session))));
