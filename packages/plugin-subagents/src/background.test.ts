import { createAgent, defineTool, memoryStore, textOf, type Message } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import subagents from './index.ts';

const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  execute: (_, { interrupt }) =>
    interrupt({ kind: 'question', payload: 'Really?', answer: { enum: ['yes'] } }),
});

type Steps = Parameters<typeof scriptedModel>[0];

/** Creates an agent that delegates to one reader. */
async function makeAgent(steps: Steps, reading: Steps, store = memoryStore()) {
  const reader = { name: 'reader', description: 'Reads.', model: scriptedModel(reading) };
  const model = scriptedModel(steps);
  const plugins = [subagents({ agents: [reader] })];
  const agent = await createAgent({ model, tools: [ask], plugins, store, log: 'silent' });
  return { agent, model, reader: reader.model };
}

const begin = {
  toolCalls: [{ name: 'task', args: { agent: 'reader', prompt: 'Find the key.', background: true } }],
};

/** Calls a tool about the task that was begun. */
function about(name: string) {
  return ({ messages }: { readonly messages: readonly Message[] }) => ({
    toolCalls: [{ name, args: name === 'task_status' ? {} : { session: sessionIn(messages) } }],
  });
}

function sessionIn(messages: readonly Message[]): string {
  return /child_[\w-]+/.exec(messages.map((message) => textOf(message)).join('\n'))?.[0] ?? '';
}

function resultsIn(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
}

describe('a task in the background', () => {
  it('is begun, awaited after the answer, and read', async () => {
    const { agent, model } = await makeAgent(
      [begin, { text: 'I am looking for it.' }, about('task_result'), { text: 'Under the mat.' }],
      [{ text: 'It is under the mat.' }],
    );
    const { messages, text } = await agent.run('Where is the key?');
    const session = sessionIn(messages);
    expect(text).toBe('Under the mat.');
    expect(resultsIn(messages)).toEqual([
      `The task goes on in the background. You get a message when it has ended; then read its answer with task_result.\n\n[task session: ${session}]`,
      `It is under the mat.\n\n[task session: ${session}]`,
    ]);
    expect(model.requests[2]?.messages.at(-1)).toMatchObject({
      role: 'user',
      source: 'children',
      content: [{ text: `[In the background, the agent "reader" has ended: session ${session}.]` }],
    });
    await agent.close();
  });

  it('asks after the answer, in any process, and is listed as waiting until then', async () => {
    const store = memoryStore();
    const asking: Steps = [{ toolCalls: [{ name: 'ask' }] }];
    const first = await makeAgent(
      [begin, about('task_result'), about('task_status'), { text: 'I wait for you.' }],
      asking,
      store,
    );
    const { interrupts, messages } = await first.agent.run('Go', { sessionId: 's' });
    const session = sessionIn(messages);
    const line = `${session} (reader): waiting for the answer of a person, who is asked after your answer`;
    expect(resultsIn(messages).slice(1)).toEqual([line, line]);
    expect(interrupts).toMatchObject([{ payload: 'Really?', under: ['call_1'] }]);
    const second = await makeAgent([{ text: 'Done.' }], [{ text: 'Confirmed.' }], store);
    const result = await second.agent.resume('s', { [interrupts[0]?.id ?? '']: 'yes' });
    expect(result.text).toBe('Done.');
    expect(second.reader.requests).toHaveLength(1);
  });

  it('can be cancelled, and what there is none of is an error', async () => {
    const { agent } = await makeAgent(
      [
        begin,
        about('task_cancel'),
        about('task_cancel'),
        about('task_status'),
        { toolCalls: [{ name: 'task_result', args: { session: 'other' } }] },
        { text: 'Done.' },
      ],
      [{ toolCalls: [{ name: 'ask' }] }],
    );
    const { messages, outcome } = await agent.run('Go');
    expect(outcome).toBe('completed');
    expect(resultsIn(messages).slice(1)).toEqual([
      'The task was cancelled.',
      'The task is over already.',
      'There are none.',
      'The tool task_result failed: no task of this conversation has the session "other"',
    ]);
    await agent.close();
  });

  it('that fails is an error result', async () => {
    const { agent } = await makeAgent(
      [begin, about('task_result'), { text: 'Sorry.' }],
      [{ error: new Error('no model') }],
    );
    const { messages } = await agent.run('Go');
    expect(messages.findLast(({ role }) => role === 'tool')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('did not finish: ') as string }],
    });
    await agent.close();
  });
});
