import { createAgent, memoryStore, type AgentOptions, type Message, type Plugin } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';
import { contextEditing } from '@shallot/plugin-context-editing';
import { summarization } from '@shallot/plugin-summarization';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

const sentence = 'The second frame holds eggs and sealed brood; the queen was seen near its lower edge.';

/** A session that a store loads. */
const stored = Array.from({ length: 200 }, (_, index): Message =>
  Object.freeze({
    id: `m${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: [textPart(`${index} ${sentence}`)],
  }),
);

/** The plugins that count a whole session. */
const counting: readonly (readonly [string, () => Plugin])[] = [
  ['context-editing', () => contextEditing({ clearToolResults: {} })],
  ['summarization', () => summarization()],
];

describe.each(counting)("a tokenizer of the user's own under %s", (_, plugin) => {
  async function agentWith(countTokens: NonNullable<AgentOptions['countTokens']>) {
    const store = memoryStore();
    await store.commit('s', 0, { append: stored });
    const model = scriptedModel([{ text: 'Yes.' }, { text: 'Yes.' }]);
    return createAgent({ model, store, plugins: [plugin()], countTokens, log: 'silent' });
  }

  it('leaves time for other work while it counts a stored session slowly, once', async () => {
    let calls = 0;
    await using agent = await agentWith((text) => {
      calls += 1;
      const end = performance.now() + 1;
      while (performance.now() < end);
      return text.length;
    });
    let turns = 0;
    let isOver = false;
    const next = (): void => {
      turns += 1;
      if (!isOver) setImmediate(next);
    };
    setImmediate(next);
    await agent.run('Is the hive well?', { sessionId: 's' });
    isOver = true;
    expect(turns).toBeGreaterThan(5);
    expect(calls).toBeGreaterThanOrEqual(stored.length);
    const before = calls;
    await agent.run('And the other one?', { sessionId: 's' });
    expect(calls - before).toBeLessThan(10);
  });

  it('fails the run under its name when it throws, and the session goes on once it is mended', async () => {
    let isBroken = true;
    await using agent = await agentWith((text) => {
      if (isBroken) throw new Error('The table of merges is missing.');
      return text.length;
    });
    await expect(agent.run('Is the hive well?', { sessionId: 's' })).rejects.toThrow(
      'countTokens threw for a string of',
    );
    isBroken = false;
    await expect(agent.run('Is it?', { sessionId: 's', abandon: true })).resolves.toMatchObject({
      outcome: 'completed',
    });
  });
});
