import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';

import { createAgent, definePlugin, textOf, type ToolMessage } from '@shallot/core';
import type { GuardOptions } from '@shallot/core/plugin';
import { scriptedModel } from '@shallot/testing';
import { afterEach } from 'vitest';

import { fetchTool } from '../src/fetch-tool.ts';
import type { FetchOptions } from '../src/index.ts';
import { fetchOptions } from '../src/options.ts';

export type Resolve = NonNullable<GuardOptions['resolve']>;

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    if (server.listening) await once(server, 'close');
  }
});

/** Starts a server on this machine. `url` has its address, or the host name that a test resolves to it. */
export async function serve(listener: RequestListener, address = '127.0.0.1') {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.headers.host} ${request.url}`);
    listener(request, response);
  });
  servers.push(server);
  server.listen(0, address);
  await once(server, 'listening');
  // A server that listens on a port has an address of this type.
  const { port } = server.address() as AddressInfo;
  return { server, requests, port, url: `http://${address}:${port}` };
}

/** Returns a resolver that answers with these addresses. */
export function resolving(addressesOf: (hostname: string) => readonly string[]): Resolve {
  return (hostname, done) => {
    const addresses = addressesOf(hostname).map((address) => ({ address, family: isIP(address) }));
    setImmediate(() => done(null, addresses));
  };
}

export interface Setting {
  readonly options?: FetchOptions;
  readonly resolve?: Resolve;
  readonly env?: NodeJS.ProcessEnv;
}

export async function fetchUrl(
  args: { url: string; offset?: number },
  { options = {}, resolve, env = {} }: Setting = {},
) {
  const settings = await fetchOptions['~standard'].validate({ allowAddresses: ['127.0.0.1'], ...options });
  if (settings.issues !== undefined) throw new Error('the options are wrong');
  const { value } = settings;
  const plugin = definePlugin({
    name: 'fetch',
    setup: ({ tools }) => void tools.add(fetchTool(value, env, resolve === undefined ? {} : { resolve })),
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'fetch_url', args }] }, { text: 'Done.' }]);
  await using agent = await createAgent({ model, plugins: [plugin()], log: 'silent' });
  const { messages } = await agent.run('Fetch.');
  const result = messages.find((message): message is ToolMessage => message.role === 'tool');
  if (result === undefined) throw new Error('nothing was fetched');
  return { text: textOf(result), isError: result.isError === true, data: result.data };
}

export const html =
  (body: string, type = 'text/html; charset=utf-8'): RequestListener =>
  (_, response) => {
    response.setHeader('content-type', type);
    response.end(body);
  };
