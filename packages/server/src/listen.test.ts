import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { memoryStore } from '@shallot/core';
import { expect, onTestFinished, test } from 'vitest';

import { slowAgent } from '../test/slow-agent.ts';
import { createServer } from './create-server.ts';
import { listen, type Listening, type ListenOptions } from './listen.ts';

/** As they were before any server of these tests. */
const globals = { Request, Response };

async function serve(steps = 1, options: ListenOptions = {}): Promise<Listening> {
  const store = memoryStore();
  const agent = await slowAgent(store, steps);
  const server = createServer({ agent, store }, { heartbeatMs: 20 });
  const listening = await listen(server, { port: 0, ...options });
  onTestFinished(async () => {
    await server.close();
    await listening.close();
    await agent.close();
  });
  return listening;
}

const post = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

test('a run is followed over a socket', async () => {
  const { url } = await serve(3);
  await fetch(`${url}/sessions`, post({ id: 'a', input: 'Look' }));
  const text = await (await fetch(`${url}/sessions/a/events`)).text();
  expect(text.match(/^event: (?:message|tool-end|run-end)$/gm)).toHaveLength(7);
});

test('a server that listens leaves the globals of its process alone', async () => {
  await serve();
  expect({ Request, Response }).toEqual(globals);
});

test('a server without auth listens on this machine alone', async () => {
  const [open, closed] = [createServer(undefined), createServer(undefined, { auth: () => undefined })];
  await expect(listen(open, { port: 0, host: '0.0.0.0' })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  await using listening = await listen(closed, { port: 0, host: '0.0.0.0' });
  expect((await fetch(`http://127.0.0.1:${new URL(listening.url).port}/sessions`)).status).toBe(401);
});

test('headers that are larger than the limit are refused', async () => {
  const { url } = await serve(1, { headerBytes: 1000 });
  const statusWith = async (bytes: number): Promise<number> =>
    (await fetch(`${url}/health`, { headers: { 'x-long': 'a'.repeat(bytes) } })).status;
  expect([await statusWith(10), await statusWith(2000)]).toEqual([200, 431]);
});

test('a port in use is refused by name', async () => {
  const { url } = await serve();
  const port = Number(new URL(url).port);
  await expect(listen(createServer(undefined), { port })).rejects.toMatchObject({
    code: 'server/LISTEN_FAILED',
    message: expect.stringMatching(`127.0.0.1:${port}`) as string,
  });
});

test('a close does not wait for further requests of clients whose streams it ended', async () => {
  const store = memoryStore();
  const agent = await slowAgent(store, 1000);
  const server = createServer({ agent, store });
  const listening = await listen(server, { port: 0 });
  onTestFinished(() => agent.close());
  await fetch(`${listening.url}/sessions`, post({ id: 'a', input: 'Look' }));
  const { hostname, port } = new URL(listening.url);
  const socket = connect(Number(port), hostname);
  socket.write('GET /sessions/a/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  socket.resume();
  await server.close();
  // Node keeps an idle connection for five seconds, and longer where the client does not close it.
  const closed = listening.close().then(() => 'closed');
  expect(await Promise.race([closed, sleep(4000, 'kept', { ref: false })])).toBe('closed');
});

test('an upload that breaks off leaves the server as it was', async () => {
  const { url } = await serve();
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(
    'POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{',
  );
  await sleep(20);
  socket.destroy();
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

test('a client that never reads slows nobody', async () => {
  const { url } = await serve(20);
  await fetch(`${url}/sessions`, post({ id: 'a', input: 'Look' }));
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET /sessions/a/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const text = await (await fetch(`${url}/sessions/a/events`)).text();
  expect(text).toMatch(/"outcome":"completed"/);
});

test.each([
  ['headers that do not end', 'GET /sessions HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
  [
    'a body that does not end',
    'POST /sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  ],
])('a client with %s is let go, and others are served', async (_, sent) => {
  const { url } = await serve(1, { requestTimeoutMs: 300 });
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = once(socket, 'close');
  socket.write(sent);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  await closed;
  expect(Buffer.concat(chunks).toString()).toMatch(/^(?:HTTP\/1.1 408|$)/);
});

test('a client that never reads holds neither its run nor the server', async () => {
  const { url } = await serve(40);
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.pause();
  await fetch(`${url}/sessions`, post({ id: 'a', input: 'Look' }));
  // Nobody takes what comes for it, however much it asks for.
  const ask = 'GET /sessions/a/events HTTP/1.1\r\nHost: localhost\r\n\r\n';
  for (let count = 0; count < 200; count += 1) socket.write(ask);
  const text = await (await fetch(`${url}/sessions/a/events`)).text();
  expect(text).toMatch(/event: run-end/);
  socket.destroy();
});
