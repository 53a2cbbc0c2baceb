import type { AgentEvent } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { collectEvents } from './collect-events.ts';
import { eventLines } from './event-lines.ts';

async function* streamOf(events: readonly AgentEvent[], error?: Error): AsyncGenerator<AgentEvent> {
  yield* events;
  if (error !== undefined) throw error;
}

const twoDrafts: AgentEvent[] = [
  { type: 'run-start', runId: 'r', sessionId: 's', resumed: false },
  { type: 'step-start', step: 1 },
  { type: 'text-delta', index: 0, text: 'I will ' },
  { type: 'text-delta', index: 0, text: 'look.' },
  { type: 'part-end', index: 0 },
  { type: 'tool-call-delta', index: 1, id: 'c', name: 'look', text: '{"at":' },
  { type: 'tool-call-delta', index: 1, text: '"x"}' },
  { type: 'part-end', index: 1 },
  { type: 'tool-start', step: 1, callId: 'c', name: 'look', input: { at: 'x' } },
  { type: 'tool-progress', step: 1, callId: 'c', data: 50 },
  {
    type: 'tool-end',
    step: 1,
    message: {
      id: 'm',
      role: 'tool',
      callId: 'c',
      name: 'look',
      content: [{ type: 'text', text: 'an onion' }],
    },
  },
  { type: 'step-start', step: 2 },
  { type: 'text-delta', index: 0, text: 'A garl' },
  { type: 'restart' },
  { type: 'text-delta', index: 0, text: 'An onion.' },
];

describe('collectEvents', () => {
  it('gives what a consumer who honours restart ends with', async () => {
    const { content, text, events, error, result } = await collectEvents(streamOf(twoDrafts));
    expect(text).toBe('An onion.');
    expect(content).toEqual({
      1: [
        { type: 'text', text: 'I will look.' },
        { type: 'tool-call', id: 'c', name: 'look', input: { at: 'x' } },
      ],
      2: [{ type: 'text', text: 'An onion.' }],
    });
    expect(events).toEqual(twoDrafts);
    expect([error, result]).toEqual([undefined, undefined]);
  });

  it('gives the failure of a stream together with what came before it', async () => {
    const failure = new Error('reset');
    const { events, error } = await collectEvents(streamOf(twoDrafts.slice(0, 2), failure));
    expect(error).toBe(failure);
    expect(events).toHaveLength(2);
  });
});

describe('eventLines', () => {
  it('joins the deltas of a part, and leaves ids out', () => {
    expect(eventLines(twoDrafts)).toMatchInlineSnapshot(`
      [
        "run-start",
        "step-start 1",
        "text 0 "I will look."",
        "part-end 0",
        "tool-call 1 "{\\"at\\":\\"x\\"}"",
        "part-end 1",
        "tool-start look({"at":"x"})",
        "tool-progress 50",
        "tool-end look "an onion"",
        "step-start 2",
        "text 0 "A garl"",
        "restart",
        "text 0 "An onion."",
      ]
    `);
  });
});
