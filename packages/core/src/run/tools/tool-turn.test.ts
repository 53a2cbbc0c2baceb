import { expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { defineTool, type Tool } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';
import { answerInterrupts } from '../../workers/answer-interrupts.ts';

function tool(name: string, execute: Tool['execute']): Tool {
  return defineTool({ name, description: 'Works.', input: { type: 'object' }, execute });
}

it('a call that has its answer begins again as soon as another has ended', async () => {
  const store = memoryStore();
  const answered = Promise.withResolvers<string>();
  const asking = tool('ask', async (_, { interrupt }) => {
    await interrupt({ kind: 'q', payload: null, answer: {} });
    answered.resolve('answered');
    return 'ok';
  });
  const working = tool('work', async () => {
    await expect.poll(async () => (await store.load('s'))?.run?.interrupts).toHaveLength(1);
    const [question] = (await store.load('s'))?.run?.interrupts ?? [];
    await answerInterrupts(store, 's', { [question?.id ?? '']: 'yes' });
    const late = new Promise<string>((resolve) => setTimeout(() => resolve('still waiting'), 10_000));
    return Promise.race([answered.promise, late]);
  });
  await using agent = await createAgent({
    log: 'silent',
    model: scriptedModel([{ toolCalls: [{ name: 'ask' }, { name: 'work' }] }, { text: 'Done.' }]),
    tools: [asking, working],
    store,
    toolConcurrency: 2,
  });
  const { messages } = await agent.run('Go', { sessionId: 's' });
  expect(messages[3]).toMatchObject({ role: 'tool', name: 'work', content: [{ text: 'answered' }] });
});

it('a result beside calls in progress is in the journal, and that of a failed tool says so', async () => {
  const store = memoryStore();
  const ended = Promise.withResolvers<void>();
  const finals = async (): Promise<unknown[]> =>
    Object.values((await store.load('s'))?.journal ?? {})
      .flatMap((entry) => (entry.type === 'final' ? `${entry.message.callId} ${entry.failed ?? 'fine'}` : []))
      .toSorted();
  let found: unknown;
  const tools = [
    tool('fail', () => {
      throw new Error('no');
    }),
    tool('work', () => 'ok'),
    tool('wait', async () => {
      await expect.poll(finals).toHaveLength(2);
      found = await finals();
      ended.resolve();
      return 'ok';
    }),
  ];
  await using agent = await createAgent({
    log: 'silent',
    model: scriptedModel([
      {
        toolCalls: [
          { id: 'a', name: 'fail' },
          { id: 'b', name: 'work' },
          { id: 'c', name: 'wait' },
        ],
      },
      { text: 'Done.' },
    ]),
    tools,
    store,
  });
  await agent.run('Go', { sessionId: 's' });
  await ended.promise;
  expect(found).toEqual(['a true', 'b fine']);
  expect((await store.load('s'))?.journal ?? {}).toEqual({});
});
