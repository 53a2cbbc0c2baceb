import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Agent } from '../agent.ts';
import { newClaim } from '../base/claim.ts';
import { ShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import type { AgentOptions } from '../contract/agent-options.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Plugin, PluginSetup } from '../contract/plugin.ts';
import type { Store } from '../contract/store.ts';
import type { ToolEffect } from '../contract/tool-display.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { scriptedModel, type ScriptedStep } from '../testing/scripted-model.ts';
import { message } from '../testing/store/store-samples.ts';
import { memoryStore } from './memory-store.ts';

// The clock that claims are measured by is the test's: a process that sleeps is one whose clock jumps.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const claimMs = 1000;

function sleepPastLease(): void {
  vi.setSystemTime(Date.now() + claimMs + 1);
}

/** What another machine does once the lease has lapsed: it takes the session, and works on it. */
async function takeOver(store: Store): Promise<void> {
  const revision = (await store.load('s'))?.revision ?? 0;
  await store.commit('s', revision, { claim: { ...newClaim('other', 60_000), host: 'elsewhere' } });
}

async function sleepThroughTakeOver(store: Store): Promise<void> {
  sleepPastLease();
  await takeOver(store);
}

type Place = (
  store: Store,
  sleep: () => Promise<void>,
  begun: (what: string) => void,
) => Partial<AgentOptions>;

/** Where a process can wake up, and what it is about to begin there. */
const places: Readonly<Record<string, Place>> = {
  'a model call': (_store, sleep) => ({
    plugins: [
      plugin(({ hooks }) =>
        hooks.beforeModel.tap('x', async () => {
          await sleep();
          return undefined;
        }),
      ),
    ],
  }),
  'a model call of a plugin': (_store, sleep, begun) => ({
    plugins: [
      plugin(({ hooks, generate }) => {
        hooks.beforeAgent.tap('x', async (run) => {
          await sleep();
          await generate(run, { messages: [message('m')] }, { purpose: 'summary' });
          begun('what follows');
        });
      }),
    ],
  }),
  'a function of once in beforeAgent': (_store, sleep, begun) => ({
    plugins: [
      plugin(({ hooks }) => {
        hooks.beforeAgent.tap('x', async (run) => {
          await sleep();
          await run.once('k', () => begun('once'));
        });
      }),
    ],
  }),
  'a function of once in a tool': (_store, sleep, begun) => ({
    ...callsTool('write', async ({ once }) => {
      await sleep();
      await once('k', () => begun('once'));
    }),
  }),
  'a function of once around a model call': (_store, sleep, begun) => ({
    plugins: [
      plugin(({ hooks }) => {
        hooks.wrapModelCall.tap('x', async (_request, _next, scope) => {
          await sleep();
          await scope.once('k', () => begun('once'));
          throw new Error('the run went on');
        });
      }),
    ],
  }),
  'a call of a tool that reads': (_store, sleep, begun) => callsLate('read', sleep, begun),
  'a call of an idempotent tool': (_store, sleep, begun) => callsLate('idempotent', sleep, begun),
  'a call of a tool that writes': (_store, sleep, begun) => callsLate('write', sleep, begun),
};

function plugin(setup: (context: PluginSetup) => void): Plugin {
  return definePlugin({ name: 'sleeper', setup })();
}

function callsTool(
  effect: ToolEffect,
  execute: (context: Parameters<ReturnType<typeof defineTool>['execute']>[1]) => Promise<void>,
): Partial<AgentOptions> {
  const tool = defineTool({
    name: 'work',
    description: 'Works.',
    input: { type: 'object' },
    effect,
    execute: async (_args, context) => {
      await execute(context);
      return 'done';
    },
  });
  return { tools: [tool] };
}

/** The process sleeps in a layer around the call. */
function callsLate(
  effect: ToolEffect,
  sleep: () => Promise<void>,
  begun: (what: string) => void,
): Partial<AgentOptions> {
  return {
    ...callsTool(effect, async () => begun('the tool')),
    plugins: [
      plugin(({ hooks }) => {
        hooks.wrapToolCall.tap('x', async (call, next) => {
          await sleep();
          return next(call);
        });
      }),
    ],
  };
}

function agentAt(
  place: Place,
  store: Store,
  sleep: () => Promise<void>,
  begun: (what: string) => void,
): Promise<Agent> {
  const options = place(store, sleep, begun);
  const answer: ScriptedStep = () => {
    begun('the model');
    return { text: 'done' };
  };
  const calls: ScriptedStep = { toolCalls: [{ name: 'work' }] };
  const model = scriptedModel(options.tools === undefined ? [answer, answer] : [calls, answer]);
  return createAgent({ model, store, claimMs, log: 'silent', ...options });
}

describe.each(Object.entries(places))('a process that wakes up after its lease, before %s', (_, place) => {
  it('begins nothing when another has taken the session over', async () => {
    const store = memoryStore();
    const begun: string[] = [];
    const agent = await agentAt(
      place,
      store,
      () => sleepThroughTakeOver(store),
      (what) => void begun.push(what),
    );
    const failed = await agent.run('go', { sessionId: 's' }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'RUN_ABORTED' });
    expect(begun).toEqual([]);
    expect((await store.load('s'))?.claim?.owner).toBe('other');
  });

  it('goes on with its claim renewed when nobody has', async () => {
    const store = memoryStore();
    const begun: string[] = [];
    let held: number | undefined;
    const sleepAlone = async (): Promise<void> => sleepPastLease();
    const agent = await agentAt(place, store, sleepAlone, (what) => {
      begun.push(what);
      void store.load('s').then((record) => (held ??= record?.claim?.expiresAt));
    });
    const [end] = await Promise.allSettled([agent.run('go', { sessionId: 's' })]);
    expect(end.status === 'fulfilled' || messageOf(end.reason).includes('the run went on')).toBe(true);
    expect(begun.length).toBeGreaterThan(0);
    expect(held).toBe(Date.now() + claimMs);
  });

  it('gives the run up when its store cannot be asked', async () => {
    const store = memoryStore();
    const begun: string[] = [];
    const renew = (): Promise<boolean> =>
      Promise.reject(new ShallotError('STORE_FAILED', { message: 'the disk is gone' }));
    const sleepAlone = async (): Promise<void> => sleepPastLease();
    const agent = await agentAt(place, { ...store, renew }, sleepAlone, (what) => void begun.push(what));
    await expect(agent.run('go', { sessionId: 's' })).rejects.toMatchObject({
      code: 'RUN_ABORTED',
      message: 'The run was aborted: the disk is gone.',
    });
    expect(begun).toEqual([]);
  });
});

it('a renewal counts once the store has confirmed it, and not while it is under way', async () => {
  const store = memoryStore();
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const slow: Store = {
    ...store,
    async renew(sessionId, claim) {
      asked.resolve();
      await answered.promise;
      return store.renew(sessionId, claim);
    },
  };
  const begun: string[] = [];
  const sleeper = plugin(({ hooks }) => {
    hooks.beforeAgent.tap('x', async (run) => {
      sleepPastLease();
      // The timer that renews claims is the first thing that a process comes to when it wakes up.
      await asked.promise;
      await takeOver(store);
      const waiting = run.once('k', () => begun.push('once'));
      answered.resolve();
      await waiting;
    });
  });
  const agent = await createAgent({
    model: scriptedModel([]),
    store: slow,
    claimMs,
    log: 'silent',
    plugins: [sleeper],
  });
  await expect(agent.run('go', { sessionId: 's' })).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  expect(begun).toEqual([]);
});

it('a hook that goes on after its run was aborted begins no function of once', async () => {
  const late = Promise.withResolvers<void>();
  const said = Promise.withResolvers<unknown>();
  const begun: string[] = [];
  const abort = new AbortController();
  const sleeper = plugin(({ hooks }) => {
    hooks.beforeAgent.tap('x', async (run) => {
      abort.abort();
      await late.promise;
      await run.once('k', () => begun.push('once')).catch(said.resolve);
    });
  });
  const agent = await createAgent({ model: scriptedModel([]), log: 'silent', plugins: [sleeper] });
  await expect(agent.run('go', { signal: abort.signal })).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  late.resolve();
  expect(await said.promise).toMatchObject({ code: 'RUN_ENDED' });
  expect(begun).toEqual([]);
});

it('a claim that holds is not renewed before each call', async () => {
  const store = memoryStore();
  const renew = vi.fn<Store['renew']>((sessionId, claim) => store.renew(sessionId, claim));
  const agent = await createAgent({
    model: scriptedModel([{ toolCalls: [{ name: 'work' }] }, { text: 'done' }]),
    store: { ...store, renew },
    log: 'silent',
    ...callsTool('read', async ({ once }) => void (await once('k', () => 1))),
  });
  await agent.run('go', { sessionId: 's' });
  expect(renew).not.toHaveBeenCalled();
});
