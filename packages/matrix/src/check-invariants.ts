import type { AgentEvent, AssistantMessage, Message } from '@shallot/core';
import type { Chunk } from '@shallot/core/model';
import { toolCallsOf } from '@shallot/core/plugin';
import { assembleContent } from '@shallot/testing';
import { expect } from 'vitest';

import type { Played } from './play.ts';

/** Checks the invariants that apply to every stack of plugins, in every case. */
export function checkInvariants({ record, world, events, isCrashed }: Played): void {
  expectEachCallAnsweredOnce(record.messages);
  expect(record, 'nothing is left over').toMatchObject({ journal: {}, run: { interrupts: [] } });
  expect(record.claim, 'the session is free').toBeUndefined();
  expect(world.done.get('pay'), 'what has effects is done once').toBe(1);
  expect(world.done.has('hidden'), 'nothing is called that nobody asked for').toBe(false);
  expectShownIsStored(events, record.messages);
  if (!isCrashed) expectAnsweredInEvents(events);
}

function expectEachCallAnsweredOnce(messages: readonly Message[]): void {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? toolCallsOf(message).map(({ id }) => id) : [],
  );
  const answers = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
  expect(answers.toSorted(), 'each call is answered once').toEqual(calls.toSorted());
}

function expectAnsweredInEvents(events: readonly AgentEvent[]): void {
  const ended = events.flatMap((event) => (event.type === 'tool-end' ? [event.message.callId] : []));
  expect(new Set(ended).size, 'each call ends once in the stream').toBe(ended.length);
}

/**
 * Checks that the chunks before each message, as a consumer sees them, make exactly this message, and that the last
 * message is stored.
 */
function expectShownIsStored(events: readonly AgentEvent[], stored: readonly Message[]): void {
  let chunks: Chunk[] = [];
  let last: AssistantMessage | undefined;
  for (const event of events) {
    if (event.type === 'run-start' || event.type === 'step-start') chunks = [];
    else if (isChunk(event)) chunks.push(event);
    else if (event.type === 'message') {
      expect(visible(assembleContent(chunks)), 'what is shown is the message').toEqual(
        visible(event.message.content),
      );
      last = event.message;
      chunks = [];
    }
  }
  if (last !== undefined) expect(stored, 'the message is stored').toContainEqual(last);
}

/** Returns text and calls as a consumer of the stream sees them. */
function visible(content: AssistantMessage['content']): unknown {
  return content.map((part) =>
    part.type === 'tool-call'
      ? { id: part.id, name: part.name, input: part.input, raw: part.raw }
      : part.type === 'text'
        ? part.text
        : part.type,
  );
}

function isChunk(event: AgentEvent): event is Chunk {
  return /^(?:.*-delta|part-end|restart)$/.test(event.type);
}
