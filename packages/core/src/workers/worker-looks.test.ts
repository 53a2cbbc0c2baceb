import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { message, runRecord } from '../../../testing/src/store/store-samples.ts';
import { notedLog } from '../../test/noted-log.ts';
import { ShallotError, type ShallotErrorInit } from '../base/errors.ts';
import type { RunResult } from '../contract/result.ts';
import type { RunRecord, SessionSummary, Store } from '../contract/store.ts';
import { createRedactor } from '../redact/redactor.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import type { WorkOptions } from './work-options.ts';
import { Worker, type Runs } from './worker.ts';

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    }),
);
afterEach(() => void vi.useRealTimers());
const later = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

type Code = ConstructorParameters<typeof ShallotError>[0];
const failing = (code: Code, init: Partial<ShallotErrorInit> = {}): ShallotError =>
  new ShallotError(code, { message: 'no', ...init });

const record = (id: string, status: RunRecord['status']): RunRecord => ({
  ...runRecord(id, status),
  agent: { id: 'bee' },
});

async function storeWith(...ids: readonly string[]): Promise<Store> {
  const store = memoryStore();
  for (const id of ids) await store.commit(id, 0, { run: record('r', 'running') });
  return store;
}

/** A worker whose runs do what the test wants. It works until the test ends. */
function working(
  store: Store,
  resume: (sessionId: string) => Promise<Partial<RunResult>> = () => new Promise(() => {}),
  options: WorkOptions = {},
) {
  const { log, lines } = notedLog();
  const resumed: string[] = [];
  const handedBack: (readonly [string, boolean])[] = [];
  const ended = Promise.withResolvers<never>();
  const runs: Runs = {
    resume: async (sessionId, terms) => {
      resumed.push(sessionId);
      const { run, revision = 0 } = (await store.load(sessionId)) ?? {};
      if (run !== undefined) terms.admits(sessionId, { run, revision });
      return (await Promise.race([resume(sessionId), ended.promise])) as RunResult;
    },
    handBack: (...given) => void handedBack.push(given),
    delete: async () => {},
  };
  const stopping = new AbortController();
  const redactor = createRedactor({ environment: false });
  const worker = new Worker(
    runs,
    { store, log, redactor, identity: { id: 'bee' } },
    {
      ...options,
      signal: stopping.signal,
    },
  );
  const done = worker.work();
  onTestFinished(async () => {
    stopping.abort();
    ended.reject(failing('AGENT_CLOSED'));
    await done;
  });
  return {
    lines,
    resumed,
    handedBack,
    stop: () => stopping.abort(),
    end: () => ended.reject(failing('AGENT_CLOSED')),
  };
}

const linesOf = (lines: readonly (readonly unknown[])[], code: string): unknown[] =>
  lines
    .filter(([, details]) => (details as { readonly code?: string }).code === code)
    .map(([, , said]) => said);

describe('a worker that looks for work', () => {
  it('resumes up to eight runs, or as many as it may', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
    const all = working(await storeWith(...ids));
    const few = working(await storeWith(...ids), undefined, { concurrency: 3 });
    await later(20_000);
    expect([all.resumed, few.resumed]).toEqual([ids.slice(0, 8), ids.slice(0, 3)]);
  });

  it('looks again after five seconds, or after its interval', async () => {
    for (const [options, ms] of [
      [{}, 5000],
      [{ intervalMs: 70 }, 70],
    ] as const) {
      const store = await storeWith();
      const { resumed } = working(store, undefined, options);
      await later(1);
      await store.commit('s', 0, { run: record('r', 'running') });
      await later(ms - 2);
      expect(resumed).toEqual([]);
      await later(1);
      expect(resumed).toEqual(['s']);
    }
  });

  it('says what went wrong, and looks again', async () => {
    const store = await storeWith('s');
    const { list } = store;
    let isAway = true;
    store.list = (filter) => {
      if (isAway) throw failing('STORE_FAILED');
      return list(filter);
    };
    const { resumed, lines } = working(store);
    await later(1);
    expect(lines).toEqual([['warn', { code: 'STORE_FAILED' }, 'The worker could not look for work: no']]);
    isAway = false;
    await later(5000);
    expect(resumed).toEqual(['s']);
  });

  it('takes what a store gives it, as much as it has room for, but nothing that it passes over', async () => {
    const store = await storeWith('a', 'b', 'c', 'd');
    const asked: [number, readonly string[]][] = [];
    const waiting = ['a', 'b', 'c', 'd'];
    store.takeResumable = async (count, filter) => {
      asked.push([count, filter?.except ?? []]);
      // More than was asked for.
      return waiting.splice(0, 2).map((id) => ({ id }) as SessionSummary);
    };
    const { resumed } = working(
      store,
      (id) => (id === 'a' ? Promise.reject(failing('SESSION_BUSY')) : new Promise(() => {})),
      {
        concurrency: 2,
      },
    );
    await later(1);
    expect(resumed).toEqual(['a', 'b', 'c']);
    expect(asked).toEqual([
      [2, []],
      [1, ['a']],
    ]);
    await later(10_000);
    expect(resumed).toEqual(['a', 'b', 'c']);
  });

  it('hands its runs back when it stops, at once after half a minute', async () => {
    const { handedBack, stop, end } = working(await storeWith('a', 'b'));
    await later(1);
    stop();
    await later(29_999);
    expect(handedBack).toEqual([
      ['a', false],
      ['b', false],
    ]);
    await later(1);
    expect(handedBack.slice(2)).toEqual([
      ['a', true],
      ['b', true],
    ]);
    end();
    await later(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a run that a worker cannot resume', () => {
  const after = async (error: Error, ms: number, options: WorkOptions = {}) => {
    const store = await storeWith('s');
    const reject = async (): Promise<never> => {
      throw error;
    };
    const world = working(store, reject, { intervalMs: 100, ...options });
    await later(ms);
    return { ...world, run: async (): Promise<RunRecord | undefined> => (await store.load('s'))?.run };
  };

  it.each([
    'STORE_CONFLICT',
    'SESSION_BUSY',
    'SESSION_NOT_FOUND',
    'RUN_OF_ANOTHER_AGENT',
    'AGENT_CLOSED',
  ] as const)('because somebody else has it (%s) is asked for again after a second', async (code) => {
    const { resumed, lines, run } = await after(failing(code), 1050);
    expect([resumed, lines]).toEqual([['s', 's'], []]);
    expect(await run()).toEqual(record('r', 'running'));
  });

  it.each([
    'PLUGIN_GONE',
    'PLUGIN_INCOMPATIBLE',
    'TOOL_GONE',
    'MODEL_GONE',
    'STATE_VERSION',
    'STORE_FORMAT',
  ] as const)(
    'because it lacks something (%s) is left to others, which is said at once, and again after a minute',
    async (code) => {
      const { resumed, lines } = await after(failing(code), 59_900);
      expect(resumed).toEqual(['s']);
      expect(lines).toEqual([['info', { sessionId: 's', code }, 'Left to another worker: no']]);
      await later(200);
      await later(120_000);
      expect(linesOf(lines, 'WORK_LEFT')).toEqual([
        'Session "s" waits for a worker that has its plugins and tools. Start one, or resume it with an agent that has them.',
      ]);
    },
  );

  it('is reported again when it is left once more', async () => {
    const store = await storeWith('s');
    const { lines } = working(store, () => Promise.reject(failing('TOOL_GONE')), {
      intervalMs: 100,
      warnAfterMs: 1000,
    });
    await later(1500);
    await store.commit('s', 1, { run: record('r', 'completed') });
    await later(500);
    await store.commit('s', 2, { run: record('q', 'running') });
    await later(2000);
    expect(linesOf(lines, 'WORK_LEFT')).toHaveLength(2);
    expect(linesOf(lines, 'TOOL_GONE')).toHaveLength(2);
  });

  it('because of the store is said once, and tried again after pauses that double', async () => {
    const { resumed, lines, run } = await after(failing('STORE_DAMAGED'), 0, { retryPauseMs: 1000 });
    const counts: number[] = [];
    for (const ms of [950, 100, 1900, 150, 3800, 250]) {
      await later(ms);
      counts.push(resumed.length);
    }
    expect(counts).toEqual([1, 2, 2, 3, 3, 4]);
    expect(lines).toEqual([
      ['warn', { sessionId: 's', code: 'STORE_DAMAGED' }, 'Session "s" could not be resumed: no'],
    ]);
    expect(await run()).toEqual(record('r', 'running'));
  });

  it('because the store fails for a while is said once, and tried again after equal pauses', async () => {
    const away = failing('STORE_FAILED', { transient: true });
    const { resumed, lines } = await after(away, 9500, { retryPauseMs: 1000 });
    expect(resumed.length).toBeGreaterThan(7);
    expect(linesOf(lines, 'STORE_FAILED')).toHaveLength(1);
  });

  it('for any other reason is tried three times in all, with longer pauses, and parked', async () => {
    const at = { file: '/a.ts', line: 3, column: 1 };
    const { resumed, lines, run } = await after(failing('CONTEXT_FAILED', { at }), 10, {
      retryPauseMs: 1000,
    });
    expect((await run())?.attempts).toMatchObject({ count: 1 });
    await later(7000);
    expect(resumed).toHaveLength(3);
    expect(await run()).toMatchObject({ parked: true, failure: { code: 'CONTEXT_FAILED', message: 'no' } });
    await later(60_000);
    expect(resumed).toHaveLength(3);
    expect(lines[0]?.[2]).toMatch(/^Session "s" could not be resumed: no \(.*a\.ts:3/);
  });

  it('and whose attempt cannot be recorded either is passed over, which is said', async () => {
    const store = await storeWith('s');
    vi.spyOn(store, 'commit').mockRejectedValue(failing('STORE_FAILED', { message: 'full' }));
    const { resumed, lines } = working(store, () => Promise.reject(failing('INTERNAL')), { intervalMs: 100 });
    await later(4000);
    expect(resumed).toEqual(['s']);
    expect(lines.map(([, details, said]) => [details, said])).toEqual([
      [{ sessionId: 's', code: 'INTERNAL' }, 'Session "s" could not be resumed: no'],
      [{ sessionId: 's', code: 'STORE_FAILED' }, 'full'],
    ]);
    await later(1200);
    expect(resumed).toEqual(['s', 's']);
  });

  it('but has failed with a result is over, which is said', async () => {
    const store = await storeWith('s');
    const { lines, resumed } = working(store, async (id) => {
      await store.commit(id, 1, { run: record('r', 'failed') });
      throw failing('MODEL_AUTH', { result: { outcome: 'failed' } as never });
    });
    await later(20_000);
    expect([resumed, lines]).toEqual([['s'], [['warn', { sessionId: 's', code: 'MODEL_AUTH' }, 'no']]]);
  });
});

it('the messages that a completed run has left are the input of the next one', async () => {
  const store = await storeWith('s');
  await store.send?.('s', { id: 'a', message: message('a') });
  let count = 0;
  const { resumed } = working(store, async (id) => {
    count += 1;
    if (count > 1) return new Promise(() => {});
    await store.commit(id, 1, { run: record('r', 'completed') });
    return { runId: 'r', outcome: 'completed', unread: [message('a')] };
  });
  await later(10);
  expect(resumed).toEqual(['s', 's']);
  expect((await store.load('s'))?.run).toMatchObject({
    status: 'running',
    position: { input: [{ id: 'a' }] },
  });
});
