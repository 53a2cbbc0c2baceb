import { describe, expect, it } from 'vitest';

import { message, runRecord } from '../../../testing/src/store/store-samples.ts';
import { notedLog } from '../../test/noted-log.ts';
import { newClaim } from '../base/claim.ts';
import type { SessionChange, Store } from '../contract/store.ts';
import type { Queue } from '../contract/work/queue.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { readNamed, wakeWhenReleased } from './wake-when-released.ts';

async function storeWith(change: SessionChange): Promise<Store> {
  const store = memoryStore();
  await store.commit('s', 0, change);
  return store;
}

const claim = newClaim('me', 60_000);
const away = (): Promise<never> => Promise.reject(new Error('away'));

describe('a queue', () => {
  it('names a session again when the claim on it expires, for the same agent', async () => {
    const woken: unknown[] = [];
    const queue = { wake: async (...given: unknown[]) => void woken.push(given) } as unknown as Queue;
    const { log } = notedLog();
    for (const change of [{ claim }, {}])
      await wakeWhenReleased(queue, { store: await storeWith(change), log }, 's', { agent: 'bee' });
    await wakeWhenReleased(queue, { store: memoryStore(), log }, 'nowhere', {});
    await wakeWhenReleased(undefined, { store: await storeWith({ claim }), log }, 's', {});
    expect(woken).toEqual([['s', { agent: 'bee', at: claim.expiresAt }]]);
  });

  it('that cannot be reached is named in the log', async () => {
    const { log, lines } = notedLog();
    const queue = { wake: away } as unknown as Queue;
    await wakeWhenReleased(queue, { store: await storeWith({ claim }), log }, 's', {});
    expect(lines).toEqual([
      ['info', { sessionId: 's' }, 'The queue could not be reached to name the session again: away'],
    ]);
  });
});

describe('a session that a queue has named', () => {
  const ended = { ...runRecord('r', 'completed'), submitted: {} };
  const parts = (store: Store) => ({ store, log: notedLog().log });

  it.each<readonly [string, SessionChange, object]>([
    ['with a run that waits', { run: runRecord('r', 'running') }, { heldUntil: undefined, isDue: true }],
    ['with a run that has ended', { run: ended }, { heldUntil: undefined, isDue: false }],
    ['without a run', {}, { heldUntil: undefined, isDue: false }],
    ['that is held', { run: runRecord('r', 'running'), claim }, { heldUntil: claim.expiresAt, isDue: true }],
    [
      'whose claim has expired',
      { run: runRecord('r', 'running'), claim: { ...claim, host: 'elsewhere', expiresAt: 1 } },
      { heldUntil: undefined, isDue: true },
    ],
  ])('%s is read', async (_, change, state) => {
    expect(await readNamed(parts(await storeWith(change)), 's')).toEqual({ isToStop: false, ...state });
  });

  it('is to stop if somebody has requested it', async () => {
    const store = await storeWith({ run: runRecord('r', 'running') });
    await store.requestStop('s');
    expect(await readNamed(parts(store), 's')).toMatchObject({ isDue: true, isToStop: true });
  });

  it('is due when its run has left messages', async () => {
    const store = await storeWith({ run: runRecord('r', 'running') });
    await store.send?.('s', { id: 'a', message: message('a') });
    await store.commit('s', 1, { run: runRecord('r', 'completed') });
    expect(await readNamed(parts(store), 's')).toMatchObject({ isDue: false });
    await store.commit('s', 2, { run: ended });
    expect(await readNamed(parts(store), 's')).toMatchObject({ isDue: true });
    const { inbox: _, ...without } = store;
    expect(await readNamed(parts(without), 's')).toMatchObject({ isDue: false });
  });

  it('that cannot be read is named in the log', async () => {
    const { log, lines } = notedLog();
    expect(await readNamed({ store: { ...memoryStore(), head: away }, log }, 's')).toBeUndefined();
    expect(lines).toEqual([
      [
        'info',
        { sessionId: 's' },
        'The session could not be read before its run is resumed: Session "s" could not be read: away',
      ],
    ]);
  });
});
