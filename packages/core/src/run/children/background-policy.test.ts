import { expect, it } from 'vitest';

import { beside, doing } from '../../../test/children.ts';
import { createAgent, definePlugin, defineTool, memoryStore, textOf } from '../../index.ts';
import type { ChatModel } from '../../model.ts';
import type { Store } from '../../store.ts';

/** A gate that denies `remove`, and a layer that hides `secret` from the model of the root in its first step alone. */
const guard = definePlugin({
  name: 'guard',
  setup({ hooks }) {
    hooks.wrapToolCall.tap({ name: 'deny', gate: true }, (call, next) => {
      if (call.name === 'remove') throw new Error('not allowed');
      return next(call);
    });
    hooks.beforeModel.tap('hide', (request, run) =>
      run.step > 1
        ? undefined
        : { ...request, tools: (request.tools ?? []).filter(({ name }) => name !== 'secret') },
    );
  },
});

/** Asks a question, and with its answer calls what it must not. */
const worker: ChatModel = {
  id: 'worker',
  async generate({ messages }) {
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const names = [['ask'], ['remove', 'secret', 'save']][turn] ?? [];
    const calls = names.map((name) => ({
      type: 'tool-call' as const,
      id: `${turn}_${name}`,
      name,
      input: {},
    }));
    const content = calls.length === 0 ? [{ type: 'text' as const, text: 'Done.' }] : calls;
    return { message: { role: 'assistant', content }, finish: calls.length === 0 ? 'stop' : 'tool-calls' };
  },
};

it('a resumed child in the background has the gates of its parent, and the tools of the step that began it', async () => {
  const store: Store = memoryStore();
  const done: string[] = [];
  const makeTool = (name: string) =>
    defineTool({ name, description: name, input: { type: 'object' }, execute: () => void done.push(name) });
  const ask = defineTool({
    name: 'ask',
    description: 'Asks.',
    input: { type: 'object' },
    execute: (_, { interrupt }) => interrupt({ kind: 'question', payload: null, answer: { enum: ['yes'] } }),
  });
  const makeAgent = () =>
    createAgent({
      model: doing('root', ['begin', { to: 'worker' }]),
      tools: [beside({ worker: { model: worker } }), ask, ...['remove', 'secret', 'save'].map(makeTool)],
      plugins: [guard()],
      store,
      log: 'silent',
    });
  const { interrupts } = await (await makeAgent()).run('Go', { sessionId: 's' });
  const { outcome } = await (await makeAgent()).resume('s', { [interrupts[0]?.id ?? '']: 'yes' });
  expect(outcome).toBe('completed');
  expect(done).toEqual(['save']);
  for await (const { id } of store.list({ parent: 's' })) {
    const results = (await store.load(id))?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results.map((message) => textOf(message))).toEqual([
      'yes',
      'The call of remove was denied by guard: the gate failed: not allowed',
      expect.stringContaining('secret') as string,
      '',
    ]);
  }
});
