import { describe, expect, it, vi } from 'vitest';

import { runRecord } from '../../../testing/src/store/store-samples.ts';
import { notedLog } from '../../test/noted-log.ts';
import type {
  RunAgent,
  RunRecord,
  SessionChange,
  SessionSummary,
  Store,
  TakeFilter,
} from '../contract/store.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { WorkFinder } from './work-finder.ts';

type Options = ConstructorParameters<typeof WorkFinder>[1];

const bee: RunAgent = { id: 'bee', version: '2' };

/** Returns a store with a waiting run of each of these agents, by session. */
async function storeWith(agents: Readonly<Record<string, RunAgent | undefined>>): Promise<Store> {
  const store = memoryStore();
  for (const [id, agent] of Object.entries(agents)) await store.commit(id, 0, waiting(agent));
  return store;
}

function waiting(agent?: RunAgent): SessionChange & { readonly run: RunRecord } {
  return { run: { ...runRecord('r', 'running'), ...(agent === undefined ? {} : { agent }) } };
}

function finderOf(store: Store, options: Options = {}, identity: RunAgent | undefined = bee) {
  const { log, lines } = notedLog();
  const finder = new WorkFinder({ store, log, identity }, options);
  const found = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of finder.find()) ids.push(id);
    return ids;
  };
  return { finder, found, lines };
}

const unnamed: Options & { readonly identity?: undefined } = {};

describe('a store that gives out runs', () => {
  function giving(given: readonly Partial<SessionSummary>[] = []) {
    const asked: [number, TakeFilter | undefined][] = [];
    const store: Store = {
      ...memoryStore(),
      takeResumable: async (count, filter) => {
        asked.push([count, filter]);
        return given as readonly SessionSummary[];
      },
    };
    return { store, asked };
  }

  it('is asked for those of the worker’s agent, version and filter', async () => {
    const { store, asked } = giving();
    const filter = { owner: 'ann' };
    for (const versions of ['any', 'same'] as const)
      await finderOf(store, { versions, filter }).finder.take(3, ['s']);
    expect(asked).toEqual([
      [3, { owner: 'ann', agent: 'bee', except: ['s'] }],
      [3, { owner: 'ann', agent: 'bee', version: '2', except: ['s'] }],
    ]);
  });

  it.each<readonly [string, Options, boolean]>([
    ['all runs of its agent', {}, true],
    ['those of an owner', { filter: { owner: 'ann' } }, true],
    ['those of sessions with a prefix, which it cannot select', { filter: { prefix: 'a' } }, false],
    ['those that it accepts, which others could not take meanwhile', { accepts: () => true }, false],
  ])('gives a worker %s', (_, options, takes) => {
    expect(finderOf(giving().store, options).finder.takes).toBe(takes);
  });

  it('gives none to a worker without a name, and another store gives none at all', () => {
    const { log } = notedLog();
    expect(new WorkFinder({ ...giving(), log, identity: undefined }, {}).takes).toBe(false);
    expect(finderOf(memoryStore()).finder.takes).toBe(false);
  });

  it('gives runs that name no agent, which is said once', async () => {
    const given = [{ id: 'd', damaged: true as const }, { id: 'a', agent: bee }, { id: 'b' }, { id: 'c' }];
    const { finder, lines } = finderOf(giving(given).store);
    expect(await finder.take(9, [])).toBe(given);
    await finder.take(9, []);
    expect(lines).toEqual([
      ['info', { sessionId: 'b' }, 'The run of session "b" names no agent. Any worker takes such runs.'],
    ]);
  });
});

it('a worker to which a store gives runs counts those of others, too', async () => {
  const store = await storeWith({ a: { id: 'ant' } });
  store.takeResumable = async () => [];
  const { finder, lines } = finderOf(store);
  await finder.take(1, []);
  await finder.take(1, []);
  expect(lines).toEqual([
    [
      'info',
      { code: 'WORK_OF_OTHERS' },
      'Runs that wait for other agents are left to their workers: ant (1).',
    ],
  ]);
});

describe('a worker finds', () => {
  it('the runs of its agent, and those of none', async () => {
    const store = await storeWith({ a: bee, b: { id: 'bee', version: '1' }, c: { id: 'ant' }, d: undefined });
    const { finder, found, lines } = finderOf(store);
    expect(await found()).toEqual(['a', 'b', 'd']);
    expect(await found()).toEqual(['a', 'b', 'd']);
    expect(finder.agent).toEqual({ agent: 'bee' });
    expect(lines.map(([, details]) => details)).toEqual([{ sessionId: 'd' }, { code: 'WORK_OF_OTHERS' }]);
  });

  it('those of its version, and those of none, if it keeps to it', async () => {
    const store = await storeWith({ a: bee, b: { id: 'bee', version: '1' }, c: { id: 'bee' } });
    expect(await finderOf(store, { versions: 'same' }).found()).toEqual(['a', 'c']);
    expect(await finderOf(store, { versions: 'any' }).found()).toEqual(['a', 'b', 'c']);
  });

  it('those of none, without a word, if its agent has no name', async () => {
    const store = await storeWith({ a: bee, b: undefined });
    const { log, lines } = notedLog();
    const finder = new WorkFinder({ store, log, identity: undefined }, unnamed);
    const ids: string[] = [];
    for await (const { id } of finder.find()) ids.push(id);
    expect([ids, finder.agent]).toEqual([['b'], {}]);
    expect(lines.map(([, details]) => details)).toEqual([{ code: 'WORK_OF_OTHERS' }]);
  });

  it('those of the sessions that its filter has', async () => {
    const store = await storeWith({ a1: bee, a2: bee, b: bee });
    const { found, finder } = finderOf(store, { filter: { prefix: 'a' } });
    expect(await found()).toEqual(['a1', 'a2']);
    expect(await Promise.all(['a1', 'b', 'none'].map((id) => finder.mayTake(id)))).toEqual([
      true,
      false,
      false,
    ]);
    expect(await finderOf(store).finder.mayTake('none')).toBe(true);
    const foreign = await storeWith({ a1: { id: 'ant' } });
    expect(await finderOf(foreign, { filter: { prefix: 'a' } }).finder.mayTake('a1')).toBe(false);
  });

  it('those that it accepts, and reads one that it declined only once it has changed', async () => {
    const store = await storeWith({ a: bee, b: bee });
    const head = vi.spyOn(store, 'head');
    const seen: string[] = [];
    const accepts = ({ id }: RunRecord): boolean => (seen.push(id), id !== 'r');
    const { found } = finderOf(store, { accepts });
    expect(await found()).toEqual([]);
    expect(await found()).toEqual([]);
    expect(head).toHaveBeenCalledTimes(2);
    await store.commit('b', 1, { run: { ...waiting(bee).run, id: 'r2' } });
    expect(await found()).toEqual(['b']);
    expect(seen).toEqual(['r', 'r', 'r2']);
    head.mockResolvedValue(undefined);
    await store.commit('a', 1, waiting(bee));
    expect(await found()).toEqual([]);
  });

  it('damaged sessions, whatever it accepts', async () => {
    const store = await storeWith({ a: bee });
    const { list } = store;
    store.list = async function* damaged(filter) {
      for await (const { agent: _, ...each } of list(filter)) yield { ...each, damaged: true };
    };
    const { found, lines } = finderOf(store, { accepts: () => false });
    expect(await found()).toEqual(['a']);
    expect(lines).toEqual([]);
  });
});

it('the runs of others are counted once, by agent and version', async () => {
  const store = await storeWith({
    a: { id: 'ant' },
    b: { id: 'ant' },
    c: { id: 'ant', version: '1' },
    d: bee,
    e: { id: 'bee', version: '1' },
  });
  const { found, lines } = finderOf(store, { versions: 'same' });
  await found();
  await storeWith({ f: { id: 'wasp' } });
  await found();
  expect(lines).toEqual([
    [
      'info',
      { code: 'WORK_OF_OTHERS' },
      'Runs that wait for other agents are left to their workers: ant (2), ant@1 (1), bee@1 (1).',
    ],
  ]);
});
