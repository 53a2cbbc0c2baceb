import { createAgent, defineTool, memoryStore, type Message, type Plugin } from '@shallot/core';
import type { ChatModel, ModelRequest } from '@shallot/core/model';
import { textPart } from '@shallot/core/plugin';
import { contextEditing } from '@shallot/plugin-context-editing';
import { limits } from '@shallot/plugin-limits';
import { redaction } from '@shallot/plugin-redaction';
import { summarization } from '@shallot/plugin-summarization';
import { expect, it } from 'vitest';

const length = 100_000;
const sentence = 'The second frame holds eggs and sealed brood; the queen was seen near its lower edge.';

/** A session as a store has it. */
const stored = Array.from({ length }, (_, index): Message =>
  Object.freeze({
    id: `m${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: [textPart(`${index} ${sentence}`)],
  }),
);

/** A model with room for all of it, which calls a tool once in each run. */
function roomyModel(): ChatModel & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id: 'roomy',
    limits: { contextTokens: 100_000_000 },
    requests,
    async generate(request) {
      requests.push(request);
      const isAsked = request.messages.at(-1)?.role === 'user';
      const call = { type: 'tool-call', id: `c${requests.length}`, name: 'look', input: {} } as const;
      return {
        message: { role: 'assistant', content: [isAsked ? call : textPart('Yes.')] },
        finish: isAsked ? 'tool-calls' : 'stop',
      };
    },
  };
}

const plugins: readonly (readonly [string, () => Plugin])[] = [
  ['context-editing', () => contextEditing({ clearToolResults: {} })],
  ['summarization', () => summarization()],
  ['redaction', () => redaction()],
  ['limits', () => limits({ modelCalls: { run: 100 }, tokens: { session: 1e9 } })],
];

it.each(plugins)(
  '%s is added to a session of 100,000 messages, removed and added again: each turn has all of it',
  async (id, make) => {
    const store = memoryStore();
    await store.commit('s', 0, { append: stored });
    const model = roomyModel();
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      effect: 'read',
      execute: () => sentence,
    });
    await using agent = await createAgent({ model, store, tools: [look], log: 'silent' });
    const cpuMs: number[] = [];
    const turn = async (): Promise<void> => {
      const begun = process.cpuUsage();
      const { outcome, errors } = await agent.run('Is the hive well?', { sessionId: 's' });
      const { user, system } = process.cpuUsage(begun);
      cpuMs.push((user + system) / 1000);
      expect({ outcome, errors }).toEqual({ outcome: 'completed', errors: [] });
    };
    await turn();
    await agent.use(make());
    await turn();
    await turn();
    expect(await agent.remove(id)).toBe(true);
    await turn();
    await agent.use(make());
    await turn();
    await turn();
    expect(model.requests.map(({ messages }) => messages.length - length)).toEqual(
      Array.from({ length: 6 }, (_, index) => [4 * index + 1, 4 * index + 3]).flat(),
    );
    // The first turn with the plugin looks at the whole session; a later one must not.
    const [, first = 0, second = 0, , , last = 0] = cpuMs;
    expect(Math.min(second, last)).toBeLessThan(Math.max(100, first / 2));
  },
  60_000,
);
