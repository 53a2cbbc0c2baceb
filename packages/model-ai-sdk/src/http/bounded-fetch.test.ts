import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, it } from 'vitest';

import { boundedFetch } from './bounded-fetch.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this kind.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const mebibyte = Buffer.alloc(1024 * 1024, 'x');

/** Answers with pieces for as long as somebody listens, at most a gigabyte. */
function flood(type: string, status: number, piece: Buffer): RequestListener {
  return (_, answer) => {
    answer.writeHead(status, { 'content-type': type });
    let sent = 0;
    const more = (): void => {
      while (!answer.destroyed && sent < 1024 * 1024 * 1024) {
        sent += piece.length;
        if (!answer.write(piece)) return void answer.once('drain', more);
      }
      answer.end();
    };
    more();
  };
}

describe('boundedFetch', () => {
  it('gives what the server gives: status, headers and body', async () => {
    const url = await serve((_, answer) => {
      answer.writeHead(201, { 'content-type': 'application/json', 'x-id': 'a' });
      answer.end('{"a":1}');
    });
    const response = await boundedFetch()(url, { method: 'POST', body: '{}' });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-id')).toBe('a');
    expect(await response.json()).toEqual({ a: 1 });
  });

  it.each(['application/json', 'text/event-stream'])(
    'cuts a gigabyte of %s off, and holds little of it',
    async (type) => {
      const url = await serve(flood(type, 200, mebibyte));
      const response = await boundedFetch()(url);
      await expect(response.text()).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' });
    },
  );

  it('lets a stream of small events go on for as long as it likes', async () => {
    const event = Buffer.from(`data: ${'x'.repeat(1000)}\n\n`.repeat(1000));
    const url = await serve((_, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let count = 0; count < 48; count += 1) answer.write(event);
      answer.end();
    });
    const response = await boundedFetch()(url);
    const bytes = (await response.text()).length;
    expect(bytes).toBe(48 * event.length);
  });

  it('cuts the body of an error short, and keeps what it begins with', async () => {
    const url = await serve(flood('text/html', 500, mebibyte));
    const response = await boundedFetch()(url);
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text.length).toBeLessThan(2 * mebibyte.length);
    expect(text).toMatch(/^x+$/);
  });

  it('refuses a web page in place of an answer', async () => {
    const url = await serve((_, answer) => answer.end('\n<!doctype html><title>Welcome</title>'));
    const response = await boundedFetch()(url);
    await expect(response.text()).rejects.toMatchObject({ code: 'WEB_PAGE' });
  });

  it('takes the key nowhere else', async () => {
    const asked: (string | undefined)[] = [];
    const url = await serve((request, answer) => {
      asked.push(request.url);
      answer.writeHead(307, { location: '/elsewhere' }).end();
    });
    const response = await boundedFetch()(url, { method: 'POST', body: '{}', headers: { 'x-api-key': 'k' } });
    expect(response.status).toBe(307);
    expect(asked).toEqual(['/']);
  });

  it('ends the request when its answer is no longer wanted', async () => {
    const closed = Promise.withResolvers<string>();
    const url = await serve((_, answer) => {
      answer.on('close', () => closed.resolve('closed'));
      flood('text/event-stream', 200, Buffer.from('data: a\n\n'))(_, answer);
    });
    const response = await boundedFetch()(url);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(await closed.promise).toBe('closed');
  });

  it.each([
    ['JSON', '{"choices":[]}', 'application/json'],
    ['plain text', 'busy, come back later: soon', 'text/plain'],
  ])('refuses %s where a stream was asked for', async (_, body, type) => {
    const url = await serve((_request, answer) => {
      answer.writeHead(200, { 'content-type': type });
      answer.end(body);
    });
    const response = await boundedFetch()(url, { method: 'POST', body: '{"stream":true}' });
    await expect(response.text()).rejects.toMatchObject({ code: 'NO_STREAM' });
    const whole = await boundedFetch()(url, { method: 'POST', body: '{}' });
    expect(await whole.text()).toBe(body);
  });

  it.each(['data: {}\n\n', ': alive\n\n', '\uFEFFevent: ping\n\n', 'retry:1\n\n', 'da'])(
    'reads events whatever their type is called: %j',
    async (body) => {
      const url = await serve((_request, answer) => {
        answer.writeHead(200, { 'content-type': 'text/plain' });
        answer.end(body);
      });
      const response = await boundedFetch()(url, { method: 'POST', body: '{"stream": true}' });
      expect(await response.text()).toBe(body.replace('\uFEFF', ''));
    },
  );
});
