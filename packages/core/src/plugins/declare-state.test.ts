import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { PluginState, StateSpec } from '../contract/plugin.ts';
import type { RunInfo } from '../contract/run-info.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import type { Store } from '../store.ts';
import { declareState } from './declare-state.ts';

const owner = { id: 'audit', slot: 1, name: 'audit', version: '2.0.0' } as never;

function declared(spec: object) {
  return declareState(owner, { key: 'calls', initial: () => ({ count: 0 }), ...spec }).declared;
}

/** Uses the state of a plugin in a run of a session. */
async function inRun<T>(
  store: Store,
  spec: StateSpec<T>,
  use: (state: PluginState<T>, run: RunInfo) => unknown,
): Promise<void> {
  const plugin = definePlugin({
    name: 'audit',
    setup({ hooks, state }) {
      const own = state(spec);
      hooks.beforeModel.tap('use', (_, run) => void use(own, run));
    },
  })();
  await using agent = await createAgent({ model: scriptedModel([{ text: 'x' }]), plugins: [plugin], store });
  await agent.run('hello', { sessionId: 's' });
}

describe('a declaration', () => {
  it.each([
    [{ key: '' }, 'without a key'],
    [{ key: 1 }, 'without a key'],
    [{ initial: 0 }, 'without a key or an initial function'],
    [{ version: 1.5 }, 'a version that is not a whole number'],
    [{ scope: 'agent' }, 'with the scope "agent"; write session or run'],
  ])('with %j is refused', (wrong, words) => {
    expect(() => declared(wrong)).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_SETUP_FAILED',
        plugin: 'audit',
        message: expect.stringContaining(words) as string,
      }),
    );
  });

  it('is of a session alone, and of version 1, unless it says otherwise', () => {
    expect(declared({})).toMatchObject({ owner, key: 'calls', scope: 'session', tree: false });
    expect(declared({}).merge(undefined, {})).toEqual({ version: 1, value: { count: 0 } });
    expect(declared({ scope: 'run', tree: true })).toMatchObject({ scope: 'run', tree: true });
  });
});

describe('members that an input adds', () => {
  const migrate = { 1: (old: JsonValue) => ({ count: old }) };

  it('join the value, which begins as the plugin says', () => {
    const { merge } = declared({ version: 2, migrate, onFork: 'keep' });
    const added: JsonObject = { by: 'ada' };
    expect(merge(undefined, added)).toEqual({ version: 2, value: { count: 0, by: 'ada' }, onFork: 'keep' });
    expect(merge({ version: 2, value: { count: 3, by: 'bob' } }, added).value).toEqual({
      count: 3,
      by: 'ada',
    });
    expect(merge({ version: 1, value: 7 }, added)).toEqual({
      version: 2,
      value: { count: 7, by: 'ada' },
      onFork: 'keep',
    });
  });
});

describe('the value', () => {
  it('is the initial one until it is set, and is stored with its version', async () => {
    const store = memoryStore();
    const spec = { key: 'calls', initial: () => 0 };
    await inRun(store, spec, (state, run) => expect(state.get(run)).toBe(0));
    expect((await store.load('s'))?.state['audit']).toBeUndefined();
    await inRun(store, spec, (state, run) => state.update(run, (count) => count + 2));
    await inRun(store, spec, (state, run) => expect(state.get(run)).toBe(2));
    expect((await store.load('s'))?.state['audit']).toEqual({ calls: { version: 1, value: 2 } });
  });

  it('is migrated once, and stored so', async () => {
    const store = memoryStore();
    await inRun(store, { key: 'calls', initial: () => 0 }, (state, run) => state.set(run, 7));
    let migrations = 0;
    const next: StateSpec<JsonValue> = {
      key: 'calls',
      version: 3,
      initial: () => [],
      migrate: { 1: (old) => ((migrations += 1), [old]), 2: (old) => ({ old }) },
    };
    await inRun(store, next, (state, run) => {
      expect(state.get(run)).toEqual({ old: [7] });
      expect(state.get(run)).toBe(state.get(run));
    });
    await inRun(store, next, (state, run) => expect(state.get(run)).toEqual({ old: [7] }));
    expect(migrations).toBe(1);
    expect((await store.load('s'))?.state['audit']).toEqual({ calls: { version: 3, value: { old: [7] } } });
  });
});
