import { textOf, type Message } from '@shallot/core';

import type { AgentServer } from '../src/create-server.ts';

/** An event as a client receives it. */
export interface ReceivedEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

/** Reads events of a session from a place on, at most `most`, and then leaves. Returns undefined where nothing is new. */
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

/** Reads a run to its end, leaving after as many events as `most` says each time. */
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
    // As the server wrote it.
    const { message } = JSON.parse(data) as { readonly message: { readonly id: string } };
    ids.push(message.id);
  }
  return ids;
}

/** Returns the text of each answer, with the deltas that a client showed before it. */
export function shownBefore(
  events: readonly ReceivedEvent[],
): readonly { readonly shown: string; readonly text: string }[] {
  const answers: { shown: string; text: string }[] = [];
  let shown = '';
  for (const { type, data } of events) {
    // As the server wrote them.
    const event = JSON.parse(data) as { readonly text?: string; readonly message?: Message };
    if (type === 'text-delta') shown += event.text ?? '';
    if (type === 'message' && event.message !== undefined)
      answers.push({ shown, text: textOf(event.message) });
    if (type === 'message' || type === 'tool-end' || type === 'restart' || type === 'reload') shown = '';
  }
  return answers;
}
