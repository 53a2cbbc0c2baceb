import { textOf, type Message, type RunInfo } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { textPart, type PluginSetup } from '@shallot/core/plugin';
import { expect, it } from 'vitest';

import { ResultClearing } from './result-clearing.ts';

const model: ChatModel = { id: 'm', generate: () => Promise.reject(new TypeError('is not called')) };

/** Clears histories of which each character is a token; `counts` has the length of each list that was counted. */
function clearing() {
  const counts: number[] = [];
  let frontier: unknown = { cleared: '', leftOut: '' };
  const state = () => ({ get: () => frontier, set: (_: RunInfo, value: unknown) => void (frontier = value) });
  const messages = (list: readonly Message[]): number => {
    counts.push(list.length);
    return list.reduce((sum, message) => sum + textOf(message).length, 0);
  };
  const setup = { state, tokens: { messages, prepare: () => undefined } };
  const settings = {
    keep: 2,
    trigger: { tokens: 1000 },
    clearAtLeast: { tokens: 300 },
    exclude: [],
    clearInputs: false,
  };
  // The clearing uses nothing else of these.
  const subject = new ResultClearing(settings, setup as unknown as Pick<PluginSetup, 'state' | 'tokens'>);
  return { counts, clear: (list: readonly Message[]) => subject.clear(list, model, {} as RunInfo) };
}

const said = (id: string, length: number): Message =>
  Object.freeze({ id, role: 'user', content: [textPart('x'.repeat(length))] } as const);

/** A call with its result of some characters. */
const called = (id: string, length: number): Message[] => [
  Object.freeze({
    id: `call-${id}`,
    role: 'assistant',
    content: [{ type: 'tool-call', id, name: 'read', input: {} }],
  } as const),
  Object.freeze({
    id: `result-${id}`,
    role: 'tool',
    callId: id,
    name: 'read',
    content: [textPart('y'.repeat(length))],
  } as const),
];

it('a history of which too little can be cleared is not cleared again in each step, but once there is enough', async () => {
  const { clear, counts } = clearing();
  let history: readonly Message[] = [said('long', 2000), ...called('a', 200), ...called('b', 200)];
  const step = async (...added: readonly Message[]): Promise<number> => {
    history = Object.freeze([...history, ...added]);
    counts.length = 0;
    const cleared = await clear(history);
    return cleared === history ? 0 : 1;
  };
  expect(await step(...called('c', 200))).toBe(0);
  expect(counts.filter((length) => length > 5).length).toBeGreaterThan(2);
  for (let index = 0; index < 10; index += 1) {
    expect(await step(said(`more ${index}`, 10))).toBe(0);
    // The history once, and what could be cleared by now.
    expect(counts).toEqual([history.length, 0]);
  }
  expect(await step(...called('d', 10))).toBe(1);
});
