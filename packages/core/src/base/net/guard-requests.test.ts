import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, it, onTestFinished } from 'vitest';

import { guardRequests, type GuardOptions } from './guard-requests.ts';

/** A server that answers with what it was sent, and notes it. */
async function echo() {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push(`${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`);
      response.writeHead(request.url === '/away' ? 302 : 200, { location: 'http://127.0.0.1:1/' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return { requests, port };
}

const allowAddresses = ['127.0.0.1'];
const naming =
  (...addresses: readonly string[]): GuardOptions['resolve'] =>
  (_, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );

async function send(url: string, options: GuardOptions, body?: string): Promise<number | undefined> {
  const { signal } = new AbortController();
  const request = guardRequests(options);
  const response = await request(new URL(url), {
    signal,
    ...(body === undefined ? {} : { method: 'POST', body: Buffer.from(body) }),
  });
  response.resume();
  return response.statusCode;
}

describe('a guarded request', () => {
  it('is sent with its method and body, and follows no redirect', async () => {
    const { port, requests } = await echo();
    expect(await send(`http://127.0.0.1:${port}/a`, { allowAddresses }, 'hello')).toBe(200);
    expect(await send(`http://127.0.0.1:${port}/away`, { allowAddresses })).toBe(302);
    expect(requests).toEqual(['POST /a hello', 'GET /away ']);
  });

  it('goes to those addresses of a name that are allowed, and to no other', async () => {
    const { port, requests } = await echo();
    const some = { allowAddresses, resolve: naming('10.0.0.1', '127.0.0.1') };
    expect(await send(`http://some.test:${port}/`, some)).toBe(200);
    await expect(
      send(`http://none.test:${port}/`, { allowAddresses, resolve: naming('127.0.0.2', '::1') }),
    ).rejects.toMatchObject({
      code: 'ADDRESS_REFUSED',
      message:
        'The host none.test, which is 127.0.0.2, is not on the public internet, and is not connected to. To allow it, list its address in the option allowAddresses.',
    });
    expect(requests).toHaveLength(1);
  });

  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433', '0177.0.0.1', '0x7f.1'])(
    'does not go to %s by itself',
    async (host) => {
      const { port, requests } = await echo();
      await expect(send(`http://${host}:${port}/`, {})).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
      expect(requests).toEqual([]);
    },
  );

  it('goes through the proxy that an environment names, and never to it', async () => {
    const { port, requests } = await echo();
    const proxyEnv = { HTTP_PROXY: `http://127.0.0.1:${port}` };
    expect(await send('http://public.test/page', { proxyEnv })).toBe(200);
    await expect(send(`http://127.0.0.1:${port}/admin`, { proxyEnv })).rejects.toMatchObject({
      code: 'ADDRESS_REFUSED',
    });
    expect(requests).toEqual(['GET http://public.test/page ']);
  });
});
