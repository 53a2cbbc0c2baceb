import { describe, expect, it } from 'vitest';

import { message, runRecord } from '../../../testing/src/store/store-samples.ts';
import { newClaim } from '../base/claim.ts';
import { ShallotError } from '../base/errors.ts';
import type { SessionHead, Store } from '../contract/store.ts';
import type { KnownSession } from '../sessions/content/known-session.ts';
import { SessionCache } from '../sessions/live/session-cache.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { readForSubmit, withSession } from './with-session.ts';

async function storeWith(change: Parameters<Store['commit']>[2]): Promise<Store> {
  const store = memoryStore();
  await store.commit('s', 0, { append: [message('m')], ...change });
  return store;
}

const done = { run: runRecord('r', 'completed') };
const conflict = new ShallotError('STORE_CONFLICT', { message: 'another process' });
const down = new ShallotError('STORE_FAILED', { message: 'the disk is gone' });
const refused = new ShallotError('SESSION_UNFINISHED', { message: 'resume it' });

describe('a session', () => {
  it('is read before its run begins', async () => {
    const store = await storeWith(done);
    const known = await withSession(store, 's', (found) => found, new SessionCache(10));
    expect(known).toMatchObject({ id: 's', revision: 1 });
    expect(await withSession(store, 'new', (found) => found === undefined, new SessionCache(10))).toBe(true);
  });

  it.each<[string, Error, boolean]>([
    ['a session that has changed', conflict, true],
    ['a run that is not possible', refused, true],
    ['a store that fails', down, false],
    ['an error of a plugin', new Error('no'), true],
  ])('is read again after %s: once, or not at all', async (_, error, isAgain) => {
    const store = await storeWith(done);
    for (const thrown of ['at once', 'later']) {
      const tried: unknown[] = [];
      const begin = (known: KnownSession | undefined): string | Promise<string> => {
        tried.push(known?.revision);
        if (tried.length > 1) return 'begun';
        if (thrown === 'at once') throw error;
        return Promise.reject(error);
      };
      const begun = (async () => withSession(store, 's', begin, new SessionCache(10)))();
      const settled = await begun.catch((failure: unknown) => failure);
      expect(settled).toBe(isAgain ? 'begun' : error);
      expect(tried).toEqual(isAgain ? [1, 1] : [1]);
    }
  });

  it('that another process works on is refused', async () => {
    const store = await storeWith({ ...done, claim: { ...newClaim('other', 60_000), host: 'elsewhere' } });
    let tries = 0;
    const begin = (): string => {
      tries += 1;
      if (tries === 1) throw conflict;
      return 'begun';
    };
    const begun = (async () => withSession(store, 's', begin, new SessionCache(10)))();
    await expect(begun).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
      message: expect.stringContaining('elsewhere') as unknown,
    });
    expect(tries).toBe(1);
  });

  it('that is not in memory is read first, and its run begins once', async () => {
    const store = { ...(await storeWith(done)) };
    const tried: unknown[] = [];
    const begin = (known: KnownSession | undefined): string => {
      tried.push(known?.revision);
      throw conflict;
    };
    await expect(withSession(store, 's', begin, new SessionCache(10))).rejects.toBe(conflict);
    expect(tried).toEqual([1]);
  });
});

describe('a session that a run is submitted to', () => {
  /** A store of which only the head can be read, as it is in this one. */
  function headOnly(store: Store, change: Partial<SessionHead> = {}): Store {
    return {
      ...store,
      head: async (sessionId) => {
        const record = await store.load(sessionId);
        if (record === undefined) return undefined;
        const { messages: _, ...head } = record;
        return { ...head, ...change };
      },
    };
  }

  it('is read without its messages if its run is over', async () => {
    const known = await readForSubmit(headOnly(await storeWith(done)), 's');
    expect(known?.content.log.length).toBe(0);
    expect(known).toMatchObject({ id: 's', revision: 1 });
  });

  it('is read with them if its run is not over, or if it has none', async () => {
    for (const change of [{ run: runRecord('r', 'running') }, {}]) {
      const known = await readForSubmit(headOnly(await storeWith(change)), 's');
      expect(known?.content.log.length).toBe(1);
    }
    expect(await readForSubmit(headOnly(memoryStore()), 's')).toBeUndefined();
  });

  it('is refused if its format is newer', async () => {
    await expect(readForSubmit(headOnly(await storeWith(done), { format: 99 }), 's')).rejects.toMatchObject({
      code: 'STORE_FORMAT',
    });
  });

  it('is refused while a run works on it', async () => {
    const claim = { ...newClaim('other', 60_000), host: 'elsewhere' };
    await expect(readForSubmit(headOnly(await storeWith({ ...done, claim })), 's')).rejects.toMatchObject({
      code: 'STORE_CONFLICT',
    });
  });
});
