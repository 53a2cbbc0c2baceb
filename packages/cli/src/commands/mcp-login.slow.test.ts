import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, it, onTestFinished } from 'vitest';

import { makeProject } from '../../test/project.ts';

const config = (url: string): string =>
  `model: ./model.mjs\nplugins:\n  - use: mcp\n    options: { servers: { issues: { url: '${url}' } } }\n`;

/** A server that lets everybody in, as far as a login looks. */
async function openServer(): Promise<string> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // A server that listens on a port has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string };
  const initialized = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    serverInfo: { name: 'open', version: '1.0.0' },
  };
  const said =
    method === 'initialize'
      ? { result: initialized }
      : { error: { code: -32_601, message: 'Method not found' } };
  response.writeHead(id === undefined ? 202 : 200, { 'content-type': 'application/json' });
  response.end(id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, ...said }));
}

describe('shallot mcp login', () => {
  it('reports that a server requires no login', async () => {
    const project = makeProject({ 'shallot.config.yaml': config(await openServer()) });
    expect(await project.here(['mcp', 'login', 'issues'])).toEqual({
      status: 0,
      stdout: '',
      stderr: 'issues requires no login.\n',
    });
  });

  it('names the servers of the config for one that is not among them', async () => {
    const project = makeProject({ 'shallot.config.yaml': config('https://x.example') });
    const { status, stderr } = await project.here(['mcp', 'login', 'issue']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('"issue" is not listed. Did you mean "issues"?') as string,
    });
  });

  it('needs the plugin in the config', async () => {
    const project = makeProject({ 'shallot.config.yaml': 'model: ./model.mjs\n' });
    const { status, stderr } = await project.here(['mcp', 'login', 'issues']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('has no plugin "mcp". Add it: shallot add mcp') as string,
    });
  });
});
