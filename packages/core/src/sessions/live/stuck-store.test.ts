import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../../testing/src/scripted-model.ts';
import type { Agent } from '../../agent.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { SessionChange, Store } from '../../contract/store.ts';
import { defineTool } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from '../stores/memory-store.ts';
import { storeGraceMs } from './commit-queue.ts';

/** A store that gets stuck in one of its commits, until it is let go. */
function stuckStore(isStuck: (change: SessionChange) => boolean) {
  const inner = memoryStore();
  const stuck = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const commit: Store['commit'] = async (sessionId, revision, change) => {
    if (isStuck(change)) {
      stuck.resolve();
      await gate.promise;
    }
    return inner.commit(sessionId, revision, change);
  };
  const store: Store = { ...inner, commit };
  return { inner, store, stuck: stuck.promise, goOn: gate.resolve };
}

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});
const call: ScriptedStep = { toolCalls: [{ name: 'look' }, { name: 'look' }] };

function agentWith(store: Store, steps: readonly ScriptedStep[] = [call]): Promise<Agent> {
  return createAgent({ model: scriptedModel(steps), tools: [look], store, log: 'silent' });
}

const isAborted = { code: 'RUN_ABORTED', result: { outcome: 'aborted' } };

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
);
afterEach(() => void vi.useRealTimers());

/** Aborts a run once its store is stuck, lets the store's time pass, and gives what the run was rejected with. */
async function abortStuck(agent: Agent, stuck: Promise<void>): Promise<unknown> {
  const controller = new AbortController();
  const running = agent
    .run('Go', { sessionId: 's', signal: controller.signal })
    .catch((error: unknown) => error);
  await stuck;
  controller.abort();
  await vi.advanceTimersByTimeAsync(storeGraceMs);
  return running;
}

describe('a commit that never settles', () => {
  it.each<readonly [string, (change: SessionChange) => boolean]>([
    [
      'the intent of a call',
      ({ journal }) => Object.values(journal ?? {}).some((each) => each?.type === 'intent'),
    ],
    ["the model's turn", ({ append }) => append?.some(({ role }) => role === 'assistant') === true],
    [
      'the result of one call of several',
      ({ journal }) => Object.keys(journal ?? {}).some((key) => key.startsWith('final:')),
    ],
    ['the end', ({ claim }) => claim === null],
  ])('does not keep an abort: %s', async (what, isStuck) => {
    const { store, inner, stuck, goOn } = stuckStore(isStuck);
    const isEnd = what === 'the end';
    const agent = await agentWith(store, isEnd ? [{ text: 'Done.' }] : [call]);
    const errors = isEnd ? [] : [{ code: 'STORE_FAILED' }];
    expect(await abortStuck(agent, stuck)).toMatchObject({
      code: 'RUN_ABORTED',
      result: { outcome: 'aborted', errors },
    });
    // The change that was begun is kept when the store continues.
    goOn();
    await agent.close();
    expect(await inner.load('s')).toMatchObject({ run: { status: isEnd ? 'completed' : 'aborted' } });
    expect((await inner.load('s'))?.claim).toBeUndefined();
  });

  it('leaves a session that another agent can take up', async () => {
    const { store, inner, stuck } = stuckStore(({ append }) => append?.[0]?.role === 'assistant');
    expect(await abortStuck(await agentWith(store), stuck)).toMatchObject(isAborted);
    await using other = await agentWith(inner, [{ text: 'Done.' }]);
    expect(await other.resume('s')).toMatchObject({ outcome: 'completed', text: 'Done.' });
  });

  it('does not keep an abort of a run that is about to begin', async () => {
    const { store, inner, stuck, goOn } = stuckStore(({ claim }) => claim !== undefined && claim !== null);
    const agent = await agentWith(store);
    expect(await abortStuck(agent, stuck)).toMatchObject({
      code: 'RUN_ABORTED',
      message: expect.stringContaining('The store has not answered for session "s".') as string,
    });
    await expect(agent.run('Go', { sessionId: 's' })).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    goOn();
    await agent.close();
    expect(await inner.load('s')).toMatchObject({ run: { status: 'aborted' } });
  });

  it('does not keep a run whose signal was aborted before it began', async () => {
    const { store, stuck, goOn } = stuckStore(({ claim }) => claim !== undefined && claim !== null);
    const agent = await agentWith(store);
    const signal = AbortSignal.abort(new Error('never mind'));
    const running = agent.run('Go', { sessionId: 's', signal }).catch((error: unknown) => error);
    await stuck;
    await vi.advanceTimersByTimeAsync(storeGraceMs);
    expect(await running).toMatchObject({
      code: 'RUN_ABORTED',
      message: expect.stringContaining('never mind. The store has not answered') as string,
    });
    goOn();
    await agent.close();
  });

  it('that settles soon after the abort is waited for, and so is the end', async () => {
    const { store, inner, stuck, goOn } = stuckStore(({ append }) => append?.[0]?.role === 'assistant');
    await using agent = await agentWith(store);
    const controller = new AbortController();
    const running = agent.run('Go', { sessionId: 's', signal: controller.signal });
    void stuck.then(() => {
      controller.abort();
      goOn();
    });
    await expect(running).rejects.toMatchObject({ ...isAborted, result: { errors: [] } });
    expect(await inner.load('s')).toMatchObject({ run: { status: 'aborted' } });
  });
});

describe('once in afterAgent that never settles', () => {
  it.each(['before', 'after'] as const)(
    'is ended by hookTimeoutMs when the run is aborted %s it',
    async (when) => {
      const entered = Promise.withResolvers<void>();
      const controller = new AbortController();
      const waiting = definePlugin({
        name: 'waiting',
        afterAgent: (_, run) =>
          run.once('k', () => {
            entered.resolve();
            return new Promise<never>(() => {});
          }),
      })();
      await using agent = await createAgent({
        model: scriptedModel([when === 'before' ? { chunks: ['x'], stall: true } : { text: 'Done.' }]),
        log: 'silent',
        hookTimeoutMs: 1000,
        plugins: [waiting],
      });
      const running = agent.run('Go', { signal: controller.signal });
      if (when === 'before') setImmediate(() => controller.abort());
      const settled = running.catch((error: unknown) => error);
      await entered.promise;
      controller.abort();
      await vi.advanceTimersByTimeAsync(1000);
      expect(await settled).toMatchObject(
        when === 'before'
          ? { code: 'RUN_ABORTED', result: { errors: [{ code: 'HOOK_TIMEOUT', plugin: 'waiting' }] } }
          : { outcome: 'completed', errors: [{ code: 'HOOK_TIMEOUT', plugin: 'waiting' }] },
      );
    },
  );
});
