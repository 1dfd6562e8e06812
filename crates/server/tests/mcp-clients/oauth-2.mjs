// The official client, major version 2, connects by consent.

import { json } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { session } from './oauth.mjs';

const kind = {
  makeClient: () => new Client({ name: 'slugline-tests', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } }),
  makeTransport: (url, options) => new StreamableHTTPClientTransport(url, options),
};
const todo = await json(process.stdin);
console.log(JSON.stringify(await session({ ...todo, parameters: true }, kind)));
