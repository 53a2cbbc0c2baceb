import { describe, expect, it } from 'vitest';

import { collectEvents, scriptedModel } from '../../../testing/src/index.ts';
import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  type Agent,
  type JsonValue,
  type Plugin,
} from '../index.ts';
import type { Store } from '../store.ts';

interface Shape {
  readonly version: string;
  readonly state?: number;
  readonly scope?: 'session' | 'run';
  readonly migrate?: Readonly<Record<number, (old: JsonValue) => JsonValue>>;
  /** The name of the tap that asks before the model is called. */
  readonly tap?: string;
}

/** A plugin that counts calls, in one release after another. */
function audit({ version, state: stateVersion = 1, scope = 'session', migrate = {}, tap }: Shape): Plugin {
  return definePlugin({
    name: 'audit',
    version,
    api: '^1.0.0',
    setup({ hooks, state }) {
      const calls = state<unknown>({ key: 'calls', scope, version: stateVersion, initial: () => 0, migrate });
      hooks.wrapToolCall.tapPromise('count', async (call, next, { run }) => {
        const result = await next(call);
        calls.set(run, stateVersion === 1 ? 1 : { count: 1 });
        return result;
      });
      if (tap === undefined) return;
      hooks.beforeModel.tap(tap, async (_, run) => {
        if (run.step === 1) await run.interrupt({ kind: 'ok', payload: null, answer: { const: 'yes' } });
      });
    },
  })();
}

const note = defineTool({
  name: 'note',
  description: 'Notes.',
  input: { type: 'object' },
  execute: () => 'noted',
});
const ask = defineTool({
  name: 'ask',
  description: 'Asks.',
  input: { type: 'object' },
  execute: (_, { interrupt }) => interrupt({ kind: 'ok', payload: null, answer: { const: 'yes' } }),
});

function agentWith(store: Store, plugins: readonly Plugin[], calls: boolean): Promise<Agent> {
  const steps = calls
    ? [{ toolCalls: [{ name: 'note' }, { name: 'ask' }] }, { text: 'Done.' }]
    : [{ text: 'Done.' }];
  return createAgent({ model: scriptedModel(steps), tools: [note, ask], plugins, store, log: 'silent' });
}

/** A session that waits for an answer, with state of the first release. */
async function paused(
  first: Shape,
): Promise<{ readonly store: Store; readonly answers: Readonly<Record<string, string>> }> {
  const store = memoryStore();
  const { outcome, interrupts } = await (
    await agentWith(store, [audit(first)], true)
  ).run('Go', { sessionId: 's' });
  expect(outcome).toBe('interrupted');
  return { store, answers: Object.fromEntries(interrupts.map(({ id }) => [id, 'yes'])) };
}

/** Returns the error that refuses a resume, and whether it left everything as it was. */
async function refusal(
  store: Store,
  agent: Agent,
  answers: Readonly<Record<string, string>>,
): Promise<{ readonly error: unknown; readonly isLeft: boolean }> {
  const before = JSON.stringify(await store.load('s'));
  const error: unknown = await agent.resume('s', answers).catch((thrown: unknown) => thrown);
  return { error, isLeft: JSON.stringify(await store.load('s')) === before };
}

describe.each(['session', 'run'] as const)(
  'a plugin upgraded while a run is paused, with state of the %s',
  (scope) => {
    const next: Shape = { version: '2.0.0', state: 3, scope };

    it('goes on with the state migrated, step by step', async () => {
      const { store, answers } = await paused({ version: '1.4.0', scope });
      const migrate = { 1: (old: JsonValue) => [old], 2: (old: JsonValue) => ({ old }) };
      const agent = await agentWith(store, [audit({ ...next, migrate })], false);
      expect(await agent.resume('s', answers)).toMatchObject({ outcome: 'completed' });
      const record = await store.load('s');
      const states = scope === 'session' ? record?.state : record?.run?.state;
      expect(states?.['audit']?.['calls']).toEqual({ version: 3, value: { count: 1 } });
    });

    it.each<readonly [string, Shape['migrate']]>([
      ['has no migration', undefined],
      ['misses a step of it', { 1: (old) => old }],
      [
        'fails to migrate',
        {
          1: () => {
            throw new Error('broken');
          },
        },
      ],
    ])('stays paused when it %s', async (_, migrate) => {
      const { store, answers } = await paused({ version: '1.4.0', scope });
      const agent = await agentWith(
        store,
        [audit({ ...next, ...(migrate === undefined ? {} : { migrate }) })],
        false,
      );
      const message = expect.stringMatching(/audit.*1\.4\.0.*audit 2\.0\.0/) as string;
      expect(await refusal(store, agent, answers)).toMatchObject({
        error: { code: 'STATE_VERSION', plugin: 'audit', message },
        isLeft: true,
      });
      const old = await agentWith(store, [audit({ version: '1.4.0', scope })], false);
      expect(await old.resume('s', answers)).toMatchObject({ outcome: 'completed' });
    });

    it('stays paused when it is older than the state', async () => {
      const { store, answers } = await paused({ ...next });
      const agent = await agentWith(store, [audit({ version: '1.4.0', scope })], false);
      const message = expect.stringMatching(/audit.*2\.0\.0.*audit 1\.4\.0.*newer/) as string;
      expect(await refusal(store, agent, answers)).toMatchObject({
        error: { code: 'STATE_VERSION', message },
        isLeft: true,
      });
    });
  },
);

describe('a plugin that is gone while a run is paused', () => {
  it('is asked for by name and version when the run has state of it', async () => {
    const { store, answers } = await paused({ version: '1.4.0', scope: 'run' });
    const message = expect.stringContaining('audit 1.4.0') as string;
    expect(await refusal(store, await agentWith(store, [], false), answers)).toMatchObject({
      error: {
        code: 'PLUGIN_GONE',
        plugin: 'audit',
        message,
      },
      isLeft: true,
    });
  });

  it('is asked for when it asked the question', async () => {
    const { store, answers } = await paused({ version: '1.4.0', tap: 'ask' });
    expect(await refusal(store, await agentWith(store, [], false), answers)).toMatchObject({
      error: {
        code: 'PLUGIN_GONE',
        plugin: 'audit',
      },
      isLeft: true,
    });
  });

  it('is asked for when only the tap is gone that asked the question', async () => {
    const { store, answers } = await paused({ version: '1.4.0', tap: 'ask' });
    const agent = await agentWith(store, [audit({ version: '1.5.0', tap: 'question' })], false);
    expect(await refusal(store, agent, answers)).toMatchObject({
      error: { code: 'PLUGIN_GONE', plugin: 'audit' },
      isLeft: true,
    });
  });

  it('is missed aloud when it has state in the session only: in the resume, and in each run after it', async () => {
    const { store, answers } = await paused({ version: '1.4.0', scope: 'session' });
    await using agent = await agentWith(store, [], false);
    const resumed = await collectEvents(agent.streamResume('s', answers));
    expect(resumed.result).toMatchObject({ outcome: 'completed' });
    const warning = {
      type: 'warning',
      code: 'PLUGIN_GONE',
      plugin: 'audit',
      message: expect.stringContaining('audit 1.4.0') as string,
    };
    expect(resumed.events[1]).toMatchObject(warning);
    for (let times = 0; times < 2; times += 1) {
      await using next = await createAgent({
        model: scriptedModel([{ text: 'Done.' }]),
        store,
        log: 'silent',
      });
      const { events } = await collectEvents(next.stream('And now?', { sessionId: 's' }));
      expect(events[1]).toMatchObject(warning);
    }
    expect((await store.load('s'))?.state['audit']).toEqual({ calls: { version: 1, value: 1 } });
  });

  it('is not missed when it has left nothing behind', async () => {
    const store = memoryStore();
    await using agent = await createAgent({
      model: scriptedModel([{ text: 'Done.' }, { text: 'Done.' }]),
      plugins: [audit({ version: '1.4.0' })],
      store,
      log: 'silent',
    });
    await agent.run('Hello', { sessionId: 's' });
    await agent.remove('audit');
    const { events } = await collectEvents(agent.stream('Hello', { sessionId: 's' }));
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
  });
});

it('a run is refused that would meet state of a newer release only at its end', async () => {
  const store = memoryStore();
  const ending = (version: number): Plugin =>
    definePlugin({
      name: 'ending',
      version: `${version}.0.0`,
      api: '^1.0.0',
      setup({ hooks, state }) {
        const runs = state({ key: 'runs', version, initial: () => 0 });
        hooks.afterAgent.tap('count', (_, run) => runs.update(run, (count) => count + 1));
      },
    })();
  await (await agentWith(store, [ending(2)], false)).run('Go', { sessionId: 's' });
  const before = await store.load('s');
  const older = await agentWith(store, [ending(1)], false);
  await expect(older.run('Go on', { sessionId: 's' })).rejects.toMatchObject({
    code: 'STATE_VERSION',
    plugin: 'ending',
    message: expect.stringContaining('written by ending 2.0.0; ending 1.0.0 reads version 1') as string,
  });
  expect(await store.load('s')).toEqual(before);
});
