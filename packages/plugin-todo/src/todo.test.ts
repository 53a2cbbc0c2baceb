import { createAgent, definePlugin, defineTool, memoryStore, textOf, type Message } from '@shallot/core';
import { collectEvents, scriptedModel, testPlugin, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { todo, type Todo } from './index.ts';

await testPlugin(todo, {
  secondOptions: { toolName: 'write_more_todos' },
  manifest: new URL('../package.json', import.meta.url),
});

const begun: readonly Todo[] = [
  { content: 'Read', status: 'in_progress' },
  { content: 'Write', status: 'pending' },
];
const write = (todos: readonly Todo[]): ScriptedStep => ({
  toolCalls: [{ name: 'write_todos', args: { todos: todos.map((entry) => ({ ...entry })) } }],
});
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'seen',
});
const looks: ScriptedStep = { toolCalls: [{ name: 'look' }] };

function reminders(messages: readonly Message[]): string[] {
  return messages.filter(({ source }) => source === 'todo').map((message) => textOf(message));
}

describe('write_todos', () => {
  it('returns the list, and tells the outside', async () => {
    const agent = await createAgent({
      model: scriptedModel([write(begun), { text: 'Done.' }]),
      plugins: [todo()],
    });
    const { events, result } = await collectEvents(agent.stream('Go'));
    const answer = result?.messages.find(({ role }) => role === 'tool');
    expect(answer).toMatchObject({ data: { todos: begun } });
    expect(textOf(answer as Message)).toBe('To-do list, 0 of 2 done:\n[>] Read\n[ ] Write');
    expect(events).toContainEqual({ type: 'plugin', plugin: 'todo', name: 'plan', data: { todos: begun } });
  });

  it('refuses two entries in progress, and keeps the list before', async () => {
    const two = begun.map((entry): Todo => ({ ...entry, status: 'in_progress' }));
    const store = memoryStore();
    const agent = await createAgent({
      model: scriptedModel([write(begun), write(two), { text: 'Done.' }]),
      plugins: [todo()],
      store,
    });
    const { messages } = await agent.run('Go', { sessionId: 's' });
    const [, second] = messages.filter(({ role }) => role === 'tool');
    expect(second).toMatchObject({ isError: true });
    expect(textOf(second as Message)).toContain('at most one may be');
    expect((await store.load('s'))?.state).toMatchObject({ todo: { todos: { value: begun } } });
  });
});

describe('the list', () => {
  it('is shown again after some steps without a change, in a message that stays', async () => {
    const model = scriptedModel([write(begun), looks, looks, looks, looks, looks, { text: 'Done.' }]);
    const agent = await createAgent({
      model,
      tools: [look],
      plugins: [todo({ remindAfterSteps: 2 })],
    });
    const { messages } = await agent.run('Go');
    // One whenever two steps have passed since the list was seen.
    expect(model.requests.map((request) => reminders(request.messages).length)).toEqual([
      0, 0, 0, 1, 1, 2, 2,
    ]);
    expect(reminders(messages)).toEqual(Array(2).fill('To-do list, 0 of 2 done:\n[>] Read\n[ ] Write'));
  });

  it('is shown again when the messages that had it are gone, and not once all is done', async () => {
    const forgetting = definePlugin({
      name: 'forgetting',
      priority: 80,
      beforeModel: (request, run) =>
        run.step === 3 ? { ...request, messages: request.messages.slice(0, 1) } : undefined,
    })();
    const done = begun.map((entry): Todo => ({ ...entry, status: 'done' }));
    const model = scriptedModel([write(begun), looks, write(done), { text: 'Done.' }]);
    const agent = await createAgent({ model, tools: [look], plugins: [forgetting, todo()] });
    await agent.run('Go');
    expect(model.requests.map((request) => reminders(request.messages).length)).toEqual([0, 0, 1, 1]);
  });

  it('is still there in the next run of the session', async () => {
    const model = scriptedModel([write(begun), { text: 'Later.' }, looks, looks, { text: 'Done.' }]);
    const agent = await createAgent({ model, tools: [look], plugins: [todo({ remindAfterSteps: 1 })] });
    await agent.run('Go', { sessionId: 's' });
    await agent.run('Go on', { sessionId: 's' });
    expect(reminders(model.requests[2]?.messages ?? [])).toHaveLength(1);
  });
});
