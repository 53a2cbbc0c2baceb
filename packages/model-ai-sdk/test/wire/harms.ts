import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { eventsOf, type Harm } from './wire-server.ts';

/** Responds with another status, headers and a body instead of the answer. */
export function refuse(
  status: number,
  {
    headers = {},
    body = '{"error":{"message":"no"}}',
  }: { headers?: Record<string, string>; body?: string } = {},
): Harm {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
}

/** Answers like a proxy or a captive portal: a page, with status 200. */
export const html: Harm = (response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<!doctype html><title>Sign in</title><p>Please sign in to the network.</p>');
};

/** Sends nothing at all. */
export const silence: Harm = () => {};

/** Resets the connection before any headers. */
export const reset: Harm = (response) => {
  response.socket?.resetAndDestroy();
};

/** Sends half of the events, or half of the body, and then ends, resets, or stalls. */
export function half(then: 'end' | 'reset' | 'stall'): Harm {
  return async (response, answer) => {
    const { status, headers, body } = await answer();
    const events = eventsOf(body, headers);
    response.writeHead(status, headers);
    for (const event of events.slice(0, Math.ceil(events.length / 2))) response.write(event);
    if (then === 'end') response.end();
    // The bytes must have left before the connection is reset.
    else if (then === 'reset') setTimeout(() => response.socket?.resetAndDestroy(), 50);
  };
}

/** Sends the events with the middle one as broken JSON. */
export const garbled: Harm = async (response, answer) => {
  const { status, headers, body } = await answer();
  const events = eventsOf(body, headers);
  const middle = Math.floor(events.length / 2);
  response.writeHead(status, headers);
  for (const [index, event] of events.entries()) {
    response.write(index === middle ? event.toString('latin1').replaceAll('}', '"') : event);
  }
  response.end();
};

/** Sends half of the events, and then this one. */
export function halfThen(event: string): Harm {
  return async (response, answer) => {
    const { status, headers, body } = await answer();
    const events = eventsOf(body, headers);
    response.writeHead(status, headers);
    for (const each of events.slice(0, Math.ceil(events.length / 2))) response.write(each);
    response.end(event);
  };
}

/** Sends the answer with its text changed, for answers that aimock cannot produce. */
export function rewritten(rewrite: (body: string) => string): Harm {
  return async (response, answer) => {
    const { status, headers, body } = await answer();
    response.writeHead(status, headers);
    // Unchanged bodies are sent as bytes, because not all of them are text.
    const written = rewrite === String ? body : Buffer.from(rewrite(body.toString('utf8')));
    for (const event of eventsOf(written, headers)) response.write(event);
    response.end();
  };
}

/**
 * Sends the answer, with the event that contains `word` repeated `times` times, as fast as the client reads. `change`
 * can alter that event.
 */
export function repeated(word: string, times: number, change = unchanged): Harm {
  return async (response, answer) => {
    const { status, headers, body } = await answer();
    response.writeHead(status, headers);
    for (const event of eventsOf(body, headers)) {
      if (event.includes(word))
        await writeRepeated(response, Buffer.from(change(event.toString('utf8'))), times);
      else response.write(event);
    }
    response.end();
  };
}

/** Sends a body of this many bytes that never completes an event. */
export function huge(bytes: number, contentType: string): Harm {
  return async (response) => {
    response.writeHead(200, { 'content-type': contentType });
    const piece = Buffer.alloc(1024 * 1024, ' ');
    for (let written = 0; written < bytes && !response.destroyed; written += piece.length) {
      if (!response.write(piece)) await drained(response);
    }
    response.end();
  };
}

async function writeRepeated(response: ServerResponse, event: Buffer, times: number): Promise<void> {
  const perWrite = Math.min(times, Math.ceil(100_000 / event.length));
  const piece = Buffer.concat(Array.from({ length: perWrite }, () => event));
  for (let done = 0; done < times && !response.destroyed; done += perWrite) {
    if (!response.write(piece)) await drained(response);
  }
}

async function drained(response: ServerResponse): Promise<void> {
  while (response.writableNeedDrain && !response.destroyed) await sleep(1);
}

function unchanged(event: string): string {
  return event;
}

/** Sends the first event, then repeats `event` until the signal is aborted, and then sends the rest. */
export function pinging(event: string, until: AbortSignal): Harm {
  return async (response, answer) => {
    const { status, headers, body } = await answer();
    const [first, ...others] = eventsOf(body, headers);
    response.writeHead(status, headers);
    response.write(first);
    while (!until.aborted && !response.destroyed) {
      response.write(event);
      await sleep(5);
    }
    for (const each of others) response.write(each);
    response.end();
  };
}
