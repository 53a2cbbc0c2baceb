import type { ServerContext } from '@modelcontextprotocol/server';
import { textOf } from '@shallot/core';
import type { FeedEvent } from '@shallot/server';

import type { OnEvent } from './server-client.ts';

/** The most characters of a line about progress. */
const maxLine = 200;

/** Reports what happens in runs to the client of one connection. */
export class Progress {
  /** The number of reports. It is never reset: a call that asks its client is sent again, and its progress may not go back. */
  #count = 0;

  /** Returns a function that reports events. If the client did not ask for progress, it does nothing. */
  of({ mcpReq }: ServerContext): OnEvent {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return () => undefined;
    let last: string | undefined;
    return (event) => {
      // A sign of life repeats the last line: it keeps clients from giving up.
      const message = event === undefined ? last : lineOf(event);
      if (event !== undefined && message === undefined) return;
      last = message;
      this.#count += 1;
      const params = { progressToken, progress: this.#count, ...(message !== undefined && { message }) };
      // A client that is gone needs no reports.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    };
  }
}

/** Returns a line about an event; undefined for one that is not reported. */
function lineOf(event: FeedEvent): string | undefined {
  switch (event.type) {
    case 'tool-start':
      return short(event.title ?? event.name);
    case 'message':
      return isAnswer(event.message) ? undefined : short(textOf(event.message));
    case 'child':
      return event.event.type === 'tool-start'
        ? short(`${event.agent}: ${event.event.title ?? event.event.name}`)
        : undefined;
    case 'tool-progress':
      return typeof event.data === 'string' ? short(event.data) : undefined;
    case 'warning':
      return short(event.message);
    default:
      return undefined;
  }
}

/** Returns true for a message that no tool calls follow. */
function isAnswer({ role, content }: Extract<FeedEvent, { type: 'message' }>['message']): boolean {
  return role !== 'assistant' || content.every(({ type }) => type !== 'tool-call');
}

function short(text: string): string | undefined {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line === '') return undefined;
  return line.length <= maxLine ? line : `${line.slice(0, maxLine - 1)}…`;
}
