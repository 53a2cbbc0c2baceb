import { createAgent, defineTool, memoryStore, type AgentOptions } from '@shallot/core';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';
import { expect, it } from 'vitest';

import { idOf, toolMessages } from '../test/approvals.ts';
import hitl from './index.ts';

const path = { type: 'object', properties: { path: { type: 'string' } } };
const rule = 'delete_file(path=/*)';

/** An agent that delegates, and whose children delete these files. */
async function makeParent(
  children: readonly (readonly string[])[],
  options: Partial<AgentOptions> = {},
  beforeEach: () => void = () => {},
) {
  const deleted: string[] = [];
  const toolCallsFor = (paths: readonly string[]) =>
    paths.map((each) => ({ name: 'delete_file', args: { path: each } }));
  const worker = scriptedModel(
    children.flatMap((paths) => [
      () => {
        beforeEach();
        return { toolCalls: toolCallsFor(paths) };
      },
      { text: 'Deleted.' },
    ]),
  );
  const deleteFile = defineTool({
    name: 'delete_file',
    description: 'Deletes.',
    input: path,
    execute: (args) => void deleted.push((args as { readonly path: string }).path),
  });
  const delegate = defineTool({
    name: 'delegate',
    description: 'Delegates.',
    input: { type: 'object' },
    effect: 'idempotent',
    execute: async (_, { child }) =>
      (await child({ agent: { name: 'worker', model: worker }, prompt: 'Clean up.' })).text,
  });
  const store = memoryStore();
  const step: ScriptedStep = { toolCalls: [{ name: 'delegate' }] };
  const agent = await createAgent({
    model: scriptedModel(children.flatMap(() => [step, { text: 'Done.' }])),
    tools: [deleteFile, delegate],
    plugins: [hitl({})],
    permissions: { allow: ['delegate'] },
    store,
    log: 'silent',
    ...options,
  });
  return { agent, store, deleted };
}

it('a rule that an answer to a child keeps holds for the root and for later children', async () => {
  const { agent, store, deleted } = await makeParent([['/a'], ['/b', '/c']]);
  const first = await agent.run('Clean up', { sessionId: 's' });
  expect(first.interrupts).toMatchObject([{ under: [expect.any(String)], call: { name: 'delete_file' } }]);
  const always = { scope: 'session', rule };
  await agent.resume('s', { [idOf(first.interrupts[0])]: { decision: 'approve', always } });
  expect((await store.load('s'))?.state['hitl']?.['permissions']?.value).toEqual({ rules: [rule] });
  const second = await agent.run('Once more', { sessionId: 's' });
  expect(second.outcome).toBe('completed');
  expect(deleted).toEqual(['/a', '/b', '/c']);
  for await (const { id } of store.list({ parent: 's' }))
    expect((await store.load(id))?.state['hitl']).toBeUndefined();
});

it('a mode that is chosen for the root while a child works holds for the child', async () => {
  const permissions = { allow: ['*'] };
  const { agent, store, deleted } = await makeParent([['/a']], { permissions }, () =>
    agent.permissions?.chooseMode('s', 'read-only'),
  );
  await agent.run('Clean up', { sessionId: 's' });
  expect(deleted).toEqual([]);
  expect((await store.load('s'))?.state['hitl']?.['permissions']?.value).toMatchObject({ mode: 'read-only' });
  for await (const { id } of store.list({ parent: 's' }))
    expect(toolMessages((await store.load(id))?.messages ?? [])).toEqual([
      expect.stringContaining('the mode is "read-only"'),
    ]);
});
