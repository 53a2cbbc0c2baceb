import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import {
  agentAt,
  callsTool,
  claimMs,
  places,
  plugin,
  question,
} from '../../../test/programs/waking-places.ts';
import { newClaim } from '../../base/claim.ts';
import { ShallotError } from '../../base/errors.ts';
import { messageOf } from '../../base/thrown.ts';
import type { Store } from '../../contract/store.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryFiles } from '../../files/memory-files.ts';
import { noticeMs } from '../../run/parts/wait-reporter.ts';
import { memoryStore } from '../stores/memory-store.ts';

// The clocks that claims are measured by are the test's: a process that sleeps is one whose clocks jump.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A machine that is suspended: its steady clock stands still. */
function sleepPastLease(): void {
  vi.setSystemTime(Date.now() + claimMs + 1);
}

/** The timer that renews claims is the first thing that a process comes to when it wakes up. */
function wakeTimers(): void {
  vi.advanceTimersByTime(claimMs / 3);
}

/** Acts for another machine once the lease has lapsed: takes the session, and works on it. */
async function takeOver(store: Store): Promise<void> {
  const revision = (await store.load('s'))?.revision ?? 0;
  await store.commit('s', revision, { claim: { ...newClaim('other', 60_000), host: 'elsewhere' } });
}

async function sleepThroughTakeOver(store: Store): Promise<void> {
  sleepPastLease();
  await takeOver(store);
}

/** A store whose answers to renewals come later: each has its own time, in real milliseconds. */
function slowStore(store: Store, ...times: readonly number[]): Store {
  const left = [...times];
  return {
    ...store,
    async renew(...args) {
      const renewed = await store.renew(...args);
      await new Promise((resolve) => setTimeout(resolve, left.shift() ?? 0));
      return renewed;
    },
  };
}

async function aborted(running: Promise<unknown>): Promise<void> {
  expect(await running.catch((error: unknown) => error)).toMatchObject({ code: 'RUN_ABORTED' });
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
    await aborted(agent.run('go', { sessionId: 's' }));
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

  it.each([
    ['first', [60, 20]],
    ['last', [20, 60]],
  ])('begins nothing when the timer that renews asks, too, and is answered %s', async (_answered, times) => {
    const store = memoryStore();
    const begun: string[] = [];
    const sleep = async (): Promise<void> => {
      await sleepThroughTakeOver(store);
      wakeTimers();
    };
    const agent = await agentAt(place, slowStore(store, ...times), sleep, (what) => void begun.push(what));
    await aborted(agent.run('go', { sessionId: 's' }));
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(begun).toEqual([]);
    expect((await store.load('s'))?.claim?.owner).toBe('other');
  });

  it('begins nothing when the lease that was renewed has lapsed before the answer, and another has the session', async () => {
    const store = memoryStore();
    const begun: string[] = [];
    let renewals = 0;
    const late: Store = {
      ...store,
      async renew(...args) {
        const renewed = await store.renew(...args);
        renewals += 1;
        if (renewals === 1) await sleepThroughTakeOver(store);
        return renewed;
      },
    };
    const sleepAlone = async (): Promise<void> => sleepPastLease();
    const agent = await agentAt(place, late, sleepAlone, (what) => void begun.push(what));
    await aborted(agent.run('go', { sessionId: 's' }));
    expect({ begun, renewals }).toEqual({ begun: [], renewals: 2 });
  });

  it('renews again until an answer comes before the lease has lapsed', async () => {
    const store = memoryStore();
    const begun: string[] = [];
    let renewals = 0;
    const late: Store = {
      ...store,
      async renew(...args) {
        const renewed = await store.renew(...args);
        renewals += 1;
        if (renewals < 4) sleepPastLease();
        return renewed;
      },
    };
    const sleepAlone = async (): Promise<void> => sleepPastLease();
    const agent = await agentAt(place, late, sleepAlone, (what) => {
      begun.push(what);
      expect(renewals).toBe(4);
    });
    const [end] = await Promise.allSettled([agent.run('go', { sessionId: 's' })]);
    expect(end.status === 'fulfilled' || messageOf(end.reason).includes('the run went on')).toBe(true);
    expect(begun.length).toBeGreaterThan(0);
  });

  it('begins nothing when its clock was set back an hour meanwhile', async () => {
    const store = memoryStore();
    const begun: string[] = [];
    const sleep = async (): Promise<void> => {
      vi.setSystemTime(Date.now() + claimMs + 1);
      await takeOver(store);
      vi.setSystemTime(Date.now() - 3_600_000);
      // Nobody stops the steady clock; the timers that it wakes come later.
      vi.spyOn(performance, 'now').mockReturnValue(performance.now() + claimMs + 1);
    };
    const agent = await agentAt(place, store, sleep, (what) => void begun.push(what));
    await aborted(agent.run('go', { sessionId: 's' }));
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
      wakeTimers();
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

it('a second once does not begin when the commit of the first was answered after another had taken over', async () => {
  const store = memoryStore();
  const slow: Store = {
    ...slowStore(store, 10, 10),
    async commit(sessionId, revision, change) {
      const next = await store.commit(sessionId, revision, change);
      const isFirst = Object.values(change.journal ?? {}).some((entry) => entry?.type === 'once');
      if (isFirst) {
        await sleepThroughTakeOver(store);
        wakeTimers();
      }
      return next;
    },
  };
  const begun: string[] = [];
  const agent = await createAgent({
    model: scriptedModel([{ toolCalls: [{ name: 'work' }] }]),
    store: slow,
    claimMs,
    log: 'silent',
    ...callsTool('write', async ({ once }) => {
      await once('first', () => begun.push('first'));
      await once('second', () => begun.push('second'));
    }),
  });
  await aborted(agent.run('go', { sessionId: 's' }));
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(begun).toEqual(['first']);
});

it('an answer that was given is not acted on when another has taken the session over', async () => {
  const store = memoryStore();
  const begun: string[] = [];
  let entries = 0;
  const agent = await createAgent({
    model: scriptedModel([{ toolCalls: [{ name: 'work' }] }]),
    store,
    claimMs,
    log: 'silent',
    ...callsTool('write', async ({ interrupt }) => {
      entries += 1;
      if (entries === 2) await sleepThroughTakeOver(store);
      begun.push(String(await interrupt(question)));
    }),
  });
  const { interrupts } = await agent.run('go', { sessionId: 's' });
  await aborted(agent.resume('s', { [interrupts[0]?.id ?? '']: 'yes' }));
  expect({ begun, entries }).toEqual({ begun: [], entries: 2 });
});

it('a renewal whose connection died while the process slept is asked for again', async () => {
  const store = memoryStore();
  const asleep = Promise.withResolvers<void>();
  let renewals = 0;
  const flaky: Store = {
    ...store,
    async renew(...args) {
      renewals += 1;
      if (renewals > 1) return store.renew(...args);
      await asleep.promise;
      throw new ShallotError('STORE_FAILED', { message: 'connection reset' });
    },
  };
  const begun: string[] = [];
  const sleeper = plugin(({ hooks }) => {
    hooks.beforeAgent.tap('x', async (run) => {
      wakeTimers();
      sleepPastLease();
      const waiting = run.once('k', () => begun.push('once'));
      asleep.resolve();
      await waiting;
    });
  });
  const agent = await createAgent({
    model: scriptedModel([{ text: 'done' }]),
    store: flaky,
    claimMs,
    log: 'silent',
    plugins: [sleeper],
  });
  expect(await agent.run('go', { sessionId: 's' })).toMatchObject({ outcome: 'completed' });
  expect({ begun, renewals }).toEqual({ begun: ['once'], renewals: 2 });
});

it('a tool does not begin when another run has blocked the process since both were answered', async () => {
  const store = memoryStore();
  const both = Promise.withResolvers<void>();
  const bothAsleep = Promise.withResolvers<void>();
  const renewed: string[] = [];
  const together: Store = {
    ...store,
    async renew(sessionId, claim) {
      renewed.push(sessionId);
      if (renewed.length === 2) both.resolve();
      await both.promise;
      return store.renew(sessionId, claim);
    },
  };
  const begun: string[] = [];
  let asleep = 0;
  const agent = await createAgent({
    model: scriptedModel([
      { toolCalls: [{ name: 'work' }] },
      { toolCalls: [{ name: 'work' }] },
      { text: 'done' },
      { text: 'done' },
    ]),
    store: together,
    claimMs,
    log: 'silent',
    ...callsTool('read', async ({ run }) => {
      begun.push(`${run.sessionId} after ${renewed.filter((id) => id === run.sessionId).length}`);
      if (begun.length === 1) sleepPastLease();
    }),
    plugins: [
      plugin(({ hooks }) => {
        hooks.wrapToolCall.tap('x', async (call, next) => {
          asleep += 1;
          if (asleep === 2) {
            sleepPastLease();
            bothAsleep.resolve();
          }
          await bothAsleep.promise;
          return next(call);
        });
      }),
    ],
  });
  await Promise.all([agent.run('go', { sessionId: 'a' }), agent.run('go', { sessionId: 'b' })]);
  expect(begun[0]).toMatch(/^[ab] after 1$/);
  expect(begun[1]).toMatch(/^[ab] after 2$/);
});

it('a renewal that is not answered is named after ten seconds', async () => {
  const never: Store = { ...memoryStore(), renew: () => new Promise(() => {}) };
  const asleep = Promise.withResolvers<void>();
  const begun: string[] = [];
  const sleeper = plugin(({ hooks }) => {
    hooks.beforeAgent.tap('x', async (run) => {
      sleepPastLease();
      asleep.resolve();
      await run.once('k', () => begun.push('once'));
    });
  });
  const agent = await createAgent({
    model: scriptedModel([]),
    store: never,
    claimMs,
    log: 'silent',
    plugins: [sleeper],
  });
  const abort = new AbortController();
  const stream = agent.stream('go', { sessionId: 's', signal: abort.signal });
  const warned: string[] = [];
  const over = (async () => {
    for await (const event of stream) if (event.type === 'warning') warned.push(event.message);
  })();
  await asleep.promise;
  await vi.advanceTimersByTimeAsync(1.25 * noticeMs);
  abort.abort();
  await over.catch(() => {});
  expect(warned).toEqual([
    'Still waiting for the store to renew the claim on session "s" after 10 s. The run continues when it settles; an abort ends the run.',
  ]);
  expect(begun).toEqual([]);
});

it.each([
  ['forward', 3_600_000, 1],
  ['back', -3_600_000, 0],
])('a run whose clock is set %s an hour goes on', async (_, set, expected) => {
  const store = memoryStore();
  const renew = vi.fn<Store['renew']>((...args) => store.renew(...args));
  const agent = await createAgent({
    model: scriptedModel([{ toolCalls: [{ name: 'work' }] }, { text: 'done' }]),
    store: { ...store, renew },
    claimMs,
    log: 'silent',
    ...callsTool('write', async ({ once }) => {
      vi.setSystemTime(Date.now() + set);
      await once('k', () => 1);
    }),
  });
  expect(await agent.run('go', { sessionId: 's' })).toMatchObject({ outcome: 'completed' });
  expect(renew).toHaveBeenCalledTimes(expected);
});

it('a file is not changed by what a run left running', async () => {
  const late = Promise.withResolvers<void>();
  const said = Promise.withResolvers<unknown>();
  const files = memoryFiles();
  const leaver = plugin(({ hooks }) => {
    hooks.beforeAgent.tap('x', (run) => {
      void late.promise.then(() => run.files.write('/x', 'late')).catch(said.resolve);
    });
  });
  const agent = await createAgent({
    model: scriptedModel([{ text: 'done' }]),
    files,
    log: 'silent',
    plugins: [leaver],
  });
  await agent.run('go');
  late.resolve();
  expect(await said.promise).toMatchObject({ code: 'RUN_ENDED' });
  expect(await files.stat('/x')).toBeUndefined();
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
  expect(await said.promise).toMatchObject({ code: 'RUN_ABORTED' });
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
