import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';

import { describe, expect, it, onTestFinished } from 'vitest';

import { boundedFetch } from './bounded-fetch.ts';

/** The class through which Node's `fetch` sends requests; it is not exported. */
interface DispatcherClass {
  new (limits: { headersTimeout?: number; bodyTimeout?: number; connect?: unknown }): object;
}

const places = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'].map((name) => Symbol.for(name));

/** Replaces the dispatcher of requests, as applications do with `setGlobalDispatcher`, until the test ends. */
function setDispatcher(limits: object): void {
  // Reading it loads it.
  expect(globalThis.Response).toBeDefined();
  for (const place of places) {
    const own: unknown = Reflect.get(globalThis, place);
    if (own === undefined) continue;
    const Agent = (own as object).constructor as DispatcherClass;
    Reflect.set(globalThis, place, new Agent(limits));
    onTestFinished(() => void Reflect.set(globalThis, place, own));
  }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe("a dispatcher of the application's", () => {
  it.each([
    ['headers', { headersTimeout: 100 }],
    ['the rest of a body', { bodyTimeout: 100 }],
  ])('does not end the wait for %s', async (_, limits) => {
    const waiting: ServerResponse[] = [];
    const url = await listen(
      createServer((_request, response) => {
        if ('bodyTimeout' in limits) response.write('half ');
        waiting.push(response);
      }),
    );
    setDispatcher(limits);
    const plain = fetch(url).then((response) => response.text());
    const patient = boundedFetch()(url).then((response) => response.text());
    // Once it has given up on the one, it would have given up on the other as well.
    await expect(plain).rejects.toThrow(/fetch failed|terminated/);
    await expect.poll(() => waiting.length).toBe(2);
    for (const response of waiting) response.end('at last');
    expect(await patient).toContain('at last');
  });

  it('is gone through all the same', async () => {
    const url = await listen(createServer((_request, response) => void response.end('found')));
    const { port } = new URL(url);
    let connections = 0;
    setDispatcher({
      connect: (_options: object, done: (error: Error | null, socket: object) => void) => {
        connections += 1;
        const socket = connect(Number(port), '127.0.0.1', () => done(null, socket));
      },
    });
    expect(await (await boundedFetch()('http://nowhere.invalid/')).text()).toBe('found');
    expect(connections).toBe(1);
  });
});
