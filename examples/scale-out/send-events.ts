import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Store } from '@shallot/core/store';
import { followRun, type FollowedEvent } from '@shallot/core/work';

/** Shorter than the time after which proxies close idle connections. */
const heartbeatMs = 15_000;

/**
 * Sends the events of a run as server-sent events until it ends or asks, whichever process executes it. Each message
 * has its id as the event's id, so a browser that reconnects, to any server, names the last one that it has.
 */
export async function sendEvents(
  store: Store,
  sessionId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const after = request.headers['last-event-id'];
  const events = followRun(store, sessionId, {
    signal: gone.signal,
    ...(typeof after === 'string' && after !== '' ? { after } : {}),
  });
  response.setHeader('content-type', 'text/event-stream');
  response.setHeader('cache-control', 'no-store');
  const heartbeat = setInterval(() => response.write(':\n\n'), heartbeatMs);
  try {
    for await (const event of events) {
      // Waits for a slow client.
      if (!response.write(asText(event))) await once(response, 'drain', { signal: gone.signal });
    }
    response.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

function asText(event: FollowedEvent): string {
  const id = 'message' in event ? `id: ${event.message.id}\n` : '';
  return `${id}event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
