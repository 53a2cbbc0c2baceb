import { defineTool, type Message, textOf } from '@shallot/core';
import type { ModelRequest } from '@shallot/core/model';
import { describe, expect, it } from 'vitest';

import { conversation, talker } from '../test/conversation.ts';

const task = 'TASK: visit all rooms, in order. Never open the red door.';

/** A model that knows what its request says and nothing else: which room comes next, and what it was asked to do. */
function visitor(rooms: number) {
  const visited: number[] = [];
  const unseen: number[] = [];
  const model = talker({
    contextTokens: 8000,
    realContext: 8000,
    say({ messages }) {
      const last = messages.at(-1);
      const known = messages.map((message) => textOf(message)).join('\n');
      if (!known.includes(task)) return 'I do not know what to do.';
      if (last?.role === 'tool' && !isWhole(textOf(last))) unseen.push(visited.at(-1) ?? -1);
      const next = lastRoom(messages) + 1;
      if (next === rooms) return `All of: ${task}`;
      visited.push(next);
      return { callId: 'visit', args: { room: next } };
    },
    summary: (request) => summaryOf(request),
  });
  return { model, visited, unseen };
}

function isWhole(text: string): boolean {
  return /^room \d+ begins\n/.test(text) && /\nroom \d+ ends$/.test(text);
}

/** By the calls that are left, else by the summary. */
function lastRoom(messages: readonly Message[]): number {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? message.content.filter((part) => part.type === 'tool-call') : [],
  );
  const called = calls.map(({ input }) => (input as { room: number }).room);
  const told = messages.flatMap((message) =>
    [...textOf(message).matchAll(/Visited up to room (\d+)/g)].map(([, room]) => Number(room)),
  );
  return Math.max(-1, ...called, ...told);
}

function summaryOf({ messages: [message] }: ModelRequest): string {
  const input = message === undefined ? '' : textOf(message);
  const rooms = [...input.matchAll(/"room": (\d+)|Visited up to room (\d+)/g)];
  const last = Math.max(...rooms.map(([, called, told]) => Number(called ?? told)));
  const asked = input.includes(task) ? task : '';
  return `Visited up to room ${last}. ${asked}`;
}

describe('A run of 200 steps with results of 20 kB, and a context of 8,000 tokens', () => {
  it('knows its task to the end, repeats no call, and makes a summary in five steps at most', async () => {
    const rooms = 200;
    const { model, visited, unseen } = visitor(rooms);
    const visit = defineTool({
      name: 'visit',
      description: 'Visits a room.',
      input: { type: 'object', properties: { room: { type: 'integer' } } },
      effect: 'read',
      execute: ({ room }) =>
        `room ${Number(room)} begins\n${'There is a chair. '.repeat(1110)}\nroom ${Number(room)} ends`,
    });
    const talk = await conversation(model, {}, { tools: [visit], maxSteps: 1000 });
    expect(await talk.say(task)).toBe(`All of: ${task}`);
    expect(visited).toEqual(Array.from({ length: rooms }, (_, room) => room));
    expect(unseen).toEqual([]);
    const summaries = talk.happened('summarized').filter(({ dropped }) => dropped !== undefined);
    expect(summaries.length).toBeGreaterThan(0);
    expect(summaries.length).toBeLessThanOrEqual(rooms / 5);
    expect(model.summaryRequests.length).toBeLessThanOrEqual(rooms / 5);
    expect(talk.warned()).toEqual([]);
    const kept = (await talk.history()).flatMap(({ messages }) => messages.map(({ id }) => id));
    expect(new Set(kept).size).toBe(kept.length);
    const left = (await talk.messages()).filter(({ source }) => source === undefined).map(({ id }) => id);
    // The task, a call and a result for each room, and the answer.
    expect(new Set([...kept, ...left]).size).toBe(2 * rooms + 2);
  });
});
