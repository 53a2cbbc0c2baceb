import { describe, expect, it, onTestFinished } from 'vitest';

import { rateLimited } from '../../../testing/src/index.ts';
import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { cameOf, eachDeath, goToEnd, leftIn } from '../../test/programs/deaths.ts';
import type { Agent } from '../agent.ts';
import { ShallotError } from '../base/errors.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Message } from '../contract/messages.ts';
import type { ChatModel } from '../contract/model.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { submitRun } from '../workers/submit-run.ts';

function start(store: Store, options: Partial<AgentOptions>): Promise<Agent> {
  return createAgent({ model: scriptedModel([]), log: 'silent', store, ...options });
}

function said(id: string, text: string): Message {
  return { id, role: 'user', source: 'reminder', content: [{ type: 'text', text }] };
}

/** Adds a message to each request, and counts in the state of the session how often it was asked. */
const reminder = definePlugin({
  name: 'reminder',
  setup({ hooks, state }) {
    const steps = state<number>({ key: 'steps', initial: () => 0 });
    hooks.beforeModel.tap('remind', (request, run) => {
      steps.update(run, (count) => count + 1);
      const { length } = request.messages;
      const reminding = said(`reminder_${length}`, `Be brief (${run.step}).`);
      return { ...request, messages: [...request.messages, reminding] };
    });
  },
});

/** Fails the first calls of a model, then answers. */
function failing(times: number, ...steps: readonly ScriptedStep[]) {
  return scriptedModel([...Array.from({ length: times }, () => ({ error: rateLimited() })), ...steps]);
}

const reminded = ['user: go', 'user: Be brief (1).', 'assistant: yes'];

describe('messages that beforeModel has added', () => {
  it('are there once, however often the run is resumed', async () => {
    const store = memoryStore();
    const model = failing(2, { text: 'yes' });
    await using agent = await start(store, { model, plugins: [reminder()] });
    await goToEnd(agent, store);
    expect(await cameOf(store)).toMatchObject({
      history: reminded,
      state: { reminder: { steps: { value: 1 } } },
    });
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([2, 2, 2]);
  });

  it('are there once, however often a worker tries the run', async () => {
    const store = memoryStore();
    await using agent = await start(store, { model: failing(2, { text: 'yes' }), plugins: [reminder()] });
    await submitRun(store, 's', 'go');
    const stop = new AbortController();
    const working = agent.work({ signal: stop.signal, intervalMs: 20, retryPauseMs: 1 });
    await expect.poll(async () => (await store.load('s'))?.run?.status).toBe('completed');
    stop.abort();
    await working;
    expect((await cameOf(store)).history).toEqual(reminded);
  });

  it('are there once, wherever the process dies', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      effect: 'read',
      execute: () => 'seen',
    });
    const steps: ScriptedStep[] = Array.from(
      { length: 9 },
      () =>
        ({ messages }) =>
          messages.some(({ role }) => role === 'tool') ? { text: 'yes' } : { toolCalls: [{ name: 'look' }] },
    );
    const deaths = await eachDeath((store) =>
      start(store, { model: scriptedModel(steps), tools: [look], plugins: [reminder()] }),
    );
    const [alive, ...others] = deaths;
    expect(alive?.came.history).toEqual([
      'user: go',
      'user: Be brief (1).',
      'assistant:  [call]',
      'tool: seen',
      'user: Be brief (2).',
      'assistant: yes',
    ]);
    for (const { name, came } of others)
      expect({ name, history: came.history }).toEqual({ name, history: alive?.came.history });
  });

  it('are there once when an empty answer is asked for again', async () => {
    const store = memoryStore();
    const model = scriptedModel([{ text: '' }, { text: '' }, { text: 'yes' }]);
    await using agent = await start(store, { model, plugins: [reminder()] });
    await goToEnd(agent, store);
    const { history } = await cameOf(store);
    expect(history.filter((line) => line.startsWith('user: Be brief (1)'))).toHaveLength(1);
    expect(history.filter((line) => line.startsWith('user: Be brief (2)'))).toHaveLength(1);
  });

  it('come with the rest of the request: what a tap has changed or taken out stays so', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      execute: () => '',
    });
    const changes = definePlugin({
      name: 'changes',
      beforeModel({ tools: _, toolChoice: _choice, output: _output, ...request }) {
        const messages = [...request.messages, said('now', 'Now.')];
        const { settings } = request;
        return { ...request, messages, instructions: 'Changed.', settings: { ...settings, seed: 7 } };
      },
    })();
    const store = memoryStore();
    const model = failing(1, { text: '{}' });
    await using agent = await start(store, { model, tools: [look], plugins: [changes] });
    const output = { type: 'object' };
    await expect(agent.run('go', { sessionId: 's', toolChoice: 'required', output })).rejects.toThrow(
      'too many requests',
    );
    await agent.resume('s');
    const [first, second] = model.requests;
    expect(second).toEqual(first);
    expect(second).toMatchObject({ instructions: 'Changed.', settings: { seed: 7 } });
    expect(second).not.toHaveProperty('toolChoice');
    expect(second).not.toHaveProperty('tools');
    expect(second).not.toHaveProperty('output');
  });
});

it('a request whose messages beforeModel leaves alone is made anew by a resume', async () => {
  let times = 0;
  const counts = definePlugin({ name: 'counts', beforeModel: () => void (times += 1) })();
  const store = memoryStore();
  await using agent = await start(store, { model: failing(1, { text: 'yes' }), plugins: [counts] });
  await expect(agent.run('go', { sessionId: 's' })).rejects.toThrow('too many requests');
  expect((await store.load('s'))?.run?.position).toEqual({ at: 'step', begun: true });
  await agent.resume('s');
  expect(times).toBe(2);
});

describe('a stored request', () => {
  /** Sends each request to another model, and adds a message to it. */
  const routed = (model: ChatModel, isResolved: boolean): Plugin =>
    definePlugin({
      name: 'router',
      async setup({ hooks, resolveModel }) {
        const chosen = isResolved ? await resolveModel(model) : model;
        hooks.beforeModel.tap('route', (request) => ({
          ...request,
          model: chosen,
          messages: [...request.messages, said('routed', 'Routed.')],
        }));
      },
    })();

  const down: ScriptedStep = { error: new ShallotError('MODEL_FAILED', { message: 'down' }) };

  async function leftAfterFailure(): Promise<Store> {
    const store = memoryStore();
    const cheap = scriptedModel([down], { id: 'test/cheap' });
    const agent = await start(store, { plugins: [routed(cheap, true)] });
    await expect(agent.run('go', { sessionId: 's' })).rejects.toThrow('down');
    await agent.close();
    return leftIn(store);
  }

  it('goes to the model that it was for, in another process, if a plugin has resolved that', async () => {
    const store = await leftAfterFailure();
    const cheap = scriptedModel([{ text: 'cheap' }], { id: 'test/cheap' });
    await using agent = await start(store, { plugins: [routed(cheap, true)] });
    expect(await agent.resume('s')).toMatchObject({ text: 'cheap' });
  });

  it('goes to the model that it was for, in the same process', async () => {
    const store = memoryStore();
    const cheap = scriptedModel([down, { text: 'cheap' }], { id: 'test/cheap' });
    await using agent = await start(store, { plugins: [routed(cheap, false)] });
    await expect(agent.run('go', { sessionId: 's' })).rejects.toThrow('down');
    expect(await agent.resume('s')).toMatchObject({ text: 'cheap' });
  });

  it('goes to no other model: without the one that it was for the resume is refused', async () => {
    const store = await leftAfterFailure();
    const before = await store.load('s');
    const own = scriptedModel([{ text: 'own' }]);
    await using agent = await start(store, { model: own });
    await expect(agent.resume('s')).rejects.toMatchObject({ code: 'MODEL_GONE' });
    expect(await store.load('s')).toEqual(before);
    expect(own.calls).toBe(0);
    expect(await agent.run('and now?', { sessionId: 's' })).toMatchObject({ text: 'own' });
  });

  it("for the agent's own model goes to the agent's own model, also when that was changed", async () => {
    const store = memoryStore();
    const agent = await start(store, { model: failing(1), plugins: [reminder()] });
    await expect(agent.run('go', { sessionId: 's' })).rejects.toThrow('too many requests');
    await agent.close();
    const newer = scriptedModel([{ text: 'newer' }], { id: 'test/newer' });
    const second = await start(store, { model: newer, plugins: [reminder()] });
    onTestFinished(() => second.close());
    expect(await second.resume('s')).toMatchObject({ text: 'newer' });
    expect((await cameOf(store)).history).toEqual(['user: go', 'user: Be brief (1).', 'assistant: newer']);
  });
});
