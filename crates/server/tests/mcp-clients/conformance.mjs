// Runs the official conformance suite, once for each generation. Reads {url,
// token} on standard input and writes every check that was made, as a list of
// {revision, scenario, check, status, message}.

import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const REVISIONS = ['2025-11-25', '2026-07-28'];

const { url, token } = await json(process.stdin);
const server = new URL(url);

// The suite has no way to send a token, so somebody puts it in for it. All else
// passes as it is, `Host` and `Origin` too.
const proxy = http.createServer((request, response) => {
  const { method, url: path } = request;
  const headers = { ...request.headers, authorization: `Bearer ${token}` };
  const passed = http.request({ host: server.hostname, port: server.port, path, method, headers });
  passed.on('response', (answer) => {
    response.writeHead(answer.statusCode, answer.rawHeaders);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  request.pipe(passed);
});
await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
const through = `http://127.0.0.1:${proxy.address().port}${server.pathname}`;

async function checks(revision) {
  const folder = await mkdtemp(path.join(tmpdir(), 'slugline-conformance-'));
  const options = ['--url', through, '--suite', 'all', '--spec-version', revision, '-o', folder];
  const suite = spawn(process.execPath, [SUITE, 'server', ...options], { stdio: 'ignore' });
  await new Promise((resolve) => suite.on('exit', resolve));
  const found = [];
  for (const name of await readdir(folder)) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    const made = JSON.parse(await readFile(path.join(folder, name, 'checks.json'), 'utf8'));
    for (const { id, status, errorMessage } of made) {
      found.push({ revision, scenario, check: id, status, message: errorMessage ?? '' });
    }
  }
  await rm(folder, { recursive: true });
  return found;
}

console.log(JSON.stringify((await Promise.all(REVISIONS.map(checks))).flat()));
proxy.close();
