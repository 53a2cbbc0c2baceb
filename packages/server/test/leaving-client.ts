import { textOf, type Message } from '@shallot/core';

import type { AgentServer } from '../src/create-server.ts';

/** An event as a client receives it. */
export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

/**
 * Reads at most `most` events of a session after a place, and then disconnects. Returns undefined if there is nothing
 * new.
 */
export async function readSome(
  { fetch }: Pick<AgentServer, 'fetch'>,
  sessionId: string,
  { after, most = Infinity }: { readonly after?: string | undefined; readonly most?: number } = {},
): Promise<readonly ReceivedEvent[] | undefined> {
  const headers = after === undefined ? {} : { 'last-event-id': after };
  const response = await fetch(new Request(`http://localhost/sessions/${sessionId}/events`, { headers }));
  if (response.status === 204) return undefined;
  if (response.status !== 200 || response.body === null) throw new Error(`The answer is ${response.status}.`);
  const events: ReceivedEvent[] = [];
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const event = eventOf(frame);
      if (event !== undefined) events.push(event);
      if (events.length >= most) return events;
    }
  }
  return events;
}

function eventOf(frame: string): ReceivedEvent | undefined {
  const [, type] = /^event: (.+)$/m.exec(frame) ?? [];
  const [, data = ''] = /^data: (.+)$/m.exec(frame) ?? [];
  const [, id] = /^id: (.+)$/m.exec(frame) ?? [];
  return type === undefined ? undefined : { id, type, data };
}

/** Reads a run to its end, but disconnects each time after `most()` events and continues from there. */
export async function readLeaving(
  server: Pick<AgentServer, 'fetch'>,
  sessionId: string,
  most: () => number,
): Promise<readonly ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  while (events.at(-1)?.type !== 'run-end') {
    const after = events.findLast(({ id }) => id !== undefined)?.id;
    const some = await readSome(server, sessionId, { after, most: most() });
    if (some === undefined) break;
    events.push(...some);
  }
  return events;
}

/** Returns the ids of the messages that a client has after these events, in their order. */
export function messagesOf(events: readonly ReceivedEvent[]): readonly string[] {
  let ids: string[] = [];
  for (const { type, data } of events) {
    if (type === 'reload') ids = [];
    if (type !== 'message' && type !== 'tool-end') continue;
    // The server wrote this JSON.
    const { message } = JSON.parse(data) as { readonly message: { readonly id: string } };
    ids.push(message.id);
  }
  return ids;
}

/** Returns the text of each answer, together with the text that a client had shown for it before. */
export function shownBefore(
  events: readonly ReceivedEvent[],
): readonly { readonly shown: string; readonly text: string }[] {
  const answers: { shown: string; text: string }[] = [];
  let shown = '';
  for (const { type, data } of events) {
    // The server wrote this JSON.
    const event = JSON.parse(data) as { readonly text?: string; readonly message?: Message };
    if (type === 'text-delta') shown += event.text ?? '';
    if (type === 'message' && event.message !== undefined)
      answers.push({ shown, text: textOf(event.message) });
    if (type === 'message' || type === 'tool-end' || type === 'restart' || type === 'reload') shown = '';
  }
  return answers;
}
