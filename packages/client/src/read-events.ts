import type { FeedEvent } from '@shallot/server';

import { unreachable } from './requester.ts';

/** An event with its place. Events without a place are for this connection alone. */
export interface PlacedEvent {
  readonly place: string | undefined;
  readonly event: FeedEvent;
}

/**
 * Reads server-sent events to the end of the answer. An event that has not arrived completely is dropped.
 * @throws `client/UNREACHABLE` if the connection breaks, or is silent for too long
 */
export async function* readEvents(
  { body, url }: Response,
  silenceMs: number,
): AsyncGenerator<PlacedEvent, void, void> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), silenceMs).catch((cause: unknown) => {
        throw unreachable(url, cause);
      });
      if (done) return;
      text += value;
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const found = eventOf(frame);
        if (found !== undefined) yield found;
      }
    }
  } finally {
    // The connection may be broken already.
    await reader.cancel().catch(() => undefined);
  }
}

function eventOf(frame: string): PlacedEvent | undefined {
  const [, data] = /^data: (.+)$/m.exec(frame) ?? [];
  const [, place] = /^id: (.+)$/m.exec(frame) ?? [];
  return data === undefined ? undefined : { place, event: parseEvent(data) };
}

/** Parses an event without a check, because the server wrote it. */
function parseEvent(data: string): FeedEvent {
  return JSON.parse(data) as FeedEvent;
}

async function inTime<T>(read: Promise<T>, silenceMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no sign of life for ${silenceMs} ms`)), silenceMs);
  try {
    return await Promise.race([read, promise]);
  } finally {
    clearTimeout(timer);
  }
}
