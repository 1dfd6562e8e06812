// The official client, major version 1, connects by consent.

import { json } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { session } from './oauth.mjs';

const kind = {
  makeClient: () => new Client({ name: 'slugline-tests', version: '1.0.0' }),
  makeTransport: (url, options) => new StreamableHTTPClientTransport(url, options),
};
console.log(JSON.stringify(await session(await json(process.stdin), kind)));
