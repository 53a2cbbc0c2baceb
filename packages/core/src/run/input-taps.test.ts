import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { noting, replacing, tapped } from '../../test/input-taps.ts';
import { ShallotError } from '../base/errors.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { InputFunction, Run } from '../contract/hooks.ts';
import { textOf } from '../contract/messages.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { sendMessage } from '../workers/send-message.ts';
import { submitRun } from '../workers/submit-run.ts';

const secret = '4111 1111';

const saying = (text: string): unknown => expect.stringContaining(text);

async function agentWith(plugins: readonly Plugin[], steps: readonly ScriptedStep[], store: Store) {
  return createAgent({ model: scriptedModel(steps), store, log: 'silent', plugins, hookTimeoutMs: 200 });
}

const answer: ScriptedStep = { text: 'Done.' };

describe('a tap on the input', () => {
  it('changes what the run, the model and the store get', async () => {
    const { store, noted } = noting();
    await using agent = await agentWith([tapped(replacing(secret, '****'))], [answer], store);
    const { messages } = await agent.run(`Pay with ${secret}.`, { sessionId: 's' });
    expect(messages.map(textOf)).toEqual(['Pay with ****.', 'Done.']);
    const before = noted();
    expect(before).toContain('****');
  });

  it('knows the session of an input, of a sent message, and of a submitted input', async () => {
    const sessions: string[] = [];
    const tap = tapped((_, context) => void sessions.push(`${context.kind} ${context.sessionId}`));
    const store = memoryStore();
    const send: ScriptedStep = { toolCalls: [{ name: 'send' }] };
    const tool = defineTool({
      name: 'send',
      description: 'Sends.',
      input: { type: 'object' },
      execute: async () => sendMessage(store, 's', 'More.'),
    });
    const agent = await createAgent({
      name: 'n',
      model: scriptedModel([send, answer]),
      store,
      log: 'silent',
      tools: [tool],
      plugins: [tap],
    });
    await agent.run('Hi', { sessionId: 's' });
    await agent.submit('Later.', { sessionId: 't' });
    await agent.close();
    expect(sessions).toEqual(['input s', 'input s', 'input t']);
  });

  it('runs outside in, before the other taps of beforeAgent', async () => {
    const order: string[] = [];
    const noted = (name: string, priority: number): Plugin =>
      definePlugin({
        name,
        priority,
        setup({ hooks }) {
          hooks.beforeAgent.tap('run', () => void order.push(`${name} run`));
          hooks.beforeAgent.tap({ name: 'input', input: true }, () => void order.push(`${name} input`));
        },
      })();
    await using agent = await agentWith([noted('inner', 10), noted('outer', 90)], [answer], memoryStore());
    await agent.run('Hi');
    expect(order).toEqual(['outer input', 'inner input', 'outer run', 'inner run']);
    const taps = agent.layers().beforeAgent.map(({ plugin, on, stage }) => ({ plugin, on, stage }));
    expect(taps).toEqual([
      { plugin: 'outer', on: 'input', stage: 0 },
      { plugin: 'inner', on: 'input', stage: 1 },
      { plugin: 'outer', on: undefined, stage: 2 },
      { plugin: 'inner', on: undefined, stage: 3 },
    ]);
  });

  it('keeps entries of state in the commit of the input', async () => {
    const { store } = noting();
    let seen: unknown;
    const plugin = definePlugin({
      name: 'counts',
      setup({ hooks, state }) {
        const kept = state<Record<string, number>>({ key: 'seen', initial: () => ({}) });
        hooks.beforeAgent.tap({ name: 'input', input: true }, ([message], { keep }) =>
          keep('seen', { [message === undefined ? '' : textOf(message)]: 1 }),
        );
        hooks.beforeAgent.tap('read', (run) => void (seen = kept.get(run)));
      },
    })();
    await using agent = await agentWith([plugin], [answer, answer], store);
    await agent.run('one', { sessionId: 's' });
    await agent.run('two', { sessionId: 's' });
    expect(seen).toEqual({ one: 1, two: 1 });
    expect((await agent.session('s'))?.state['counts']).toEqual({ seen: { version: 1, value: seen } });
  });
});

describe('a tap on the input that refuses', () => {
  const refusing = tapped(() => {
    throw new ShallotError('guard/REFUSED', { message: 'No cards here.', plugin: 'guard' });
  });

  it('rejects the run with its own error, and nothing is committed by it', async () => {
    const store = memoryStore();
    await using agent = await agentWith([refusing], [], store);
    await expect(agent.run(secret, { sessionId: 's' })).rejects.toMatchObject({
      code: 'guard/REFUSED',
      message: 'No cards here.',
      plugin: 'guard',
      hook: 'beforeAgent',
    });
    expect(JSON.stringify(await store.load('s')) ?? '').not.toContain('at":"step');
  });

  it('refuses what is submitted, before anything is stored', async () => {
    const store = memoryStore();
    await using agent = await agentWith([refusing], [], store);
    await expect(agent.submit(secret, { sessionId: 's' })).rejects.toMatchObject({ code: 'guard/REFUSED' });
    expect(await store.load('s')).toBeUndefined();
  });
});

describe('a faulty tap on the input', () => {
  const faults: readonly [string, InputFunction, object][] = [
    [
      'throws',
      () => {
        throw new Error('out of order');
      },
      { code: 'PLUGIN_FAILED', message: 'The tap of guard on the input threw: out of order' },
    ],
    ['rejects', () => Promise.reject(new Error('out of order')), { code: 'PLUGIN_FAILED' }],
    [
      'returns junk',
      () => 'Hi' as never,
      { code: 'HOOK_RESULT', message: saying('it must return messages, or nothing') },
    ],
    ['returns what is no message', () => [{ role: 'nobody' }] as never, { code: 'MESSAGE_INVALID' }],
    [
      'asks',
      (_, context) =>
        (context as unknown as Run).interrupt({ kind: 'q', payload: null, answer: {} }) as never,
      { code: 'OPTION_INVALID', message: saying('It cannot ask anybody') },
    ],
    [
      'reads a session',
      (_, context) => void (context as unknown as Run).messages,
      { code: 'OPTION_INVALID', message: saying('It knows no run') },
    ],
    [
      'keeps what it has not declared',
      (_, { keep }) => keep('nothing', {}),
      { code: 'OPTION_INVALID', message: saying('Declare it in setup') },
    ],
    ['hangs', () => new Promise(() => {}), { code: 'HOOK_TIMEOUT', message: saying('within 200 ms') }],
  ];

  it.each(faults)('that %s is one error with its name', async (_, fn, expected) => {
    await using agent = await agentWith([tapped(fn)], [], memoryStore());
    await expect(agent.submit('Hi', { sessionId: 's' })).rejects.toMatchObject({
      plugin: 'guard',
      ...expected,
    });
  });

  it('that hangs is left when the run is aborted', async () => {
    await using agent = await agentWith([tapped(() => new Promise(() => {}))], [], memoryStore());
    const signal = AbortSignal.timeout(10);
    await expect(agent.submit('Hi', { sessionId: 's', signal })).rejects.toMatchObject({
      code: 'RUN_ABORTED',
    });
  });
});

describe('what is submitted', () => {
  it('has passed the taps of the agent before it is stored, and does not pass them again', async () => {
    const { store, noted } = noting();
    let count = 0;
    const counting = tapped((messages, context) => {
      count += 1;
      return replacing(secret, '****')(messages, context);
    });
    await using agent = await agentWith([counting], [answer], store);
    await agent.submit(secret, { sessionId: 's' });
    expect(noted()).not.toContain(secret);
    await agent.resume('s');
    expect(count).toBe(1);
  });

  it('passes them when it is taken, if it was submitted without an agent', async () => {
    const store = memoryStore();
    await submitRun(store, 's', secret);
    await using agent = await agentWith([tapped(replacing(secret, '****'))], [answer], store);
    const { messages } = await agent.resume('s');
    expect(messages.map(textOf)).toEqual(['****', 'Done.']);
    expect(JSON.stringify(await store.load('s'))).not.toContain(secret);
  });

  it('passes what the program prepares it with', async () => {
    const { store, noted } = noting();
    await submitRun(store, 's', secret, { prepare: () => 'a card' });
    expect(noted()).toContain('a card');
    expect(noted()).not.toContain(secret);
  });
});
