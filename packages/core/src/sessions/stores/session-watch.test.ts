import { describe, expect, it, vi } from 'vitest';

import { ShallotError } from '../../base/errors.ts';
import type { Store } from '../../contract/store.ts';
import { memoryStore } from './memory-store.ts';
import { SessionWatch } from './session-watch.ts';
import { whenReleased } from './when-released.ts';

/** A store that tells watchers when somebody calls `tell`. */
function telling() {
  const heard = new Set<() => void>();
  const store: Store = {
    ...memoryStore(),
    watch: async (_, listener) => {
      heard.add(listener);
      return () => void heard.delete(listener);
    },
  };
  return { heard, store, tell: () => heard.forEach((listener) => listener()) };
}

describe('a wait for the next change of a session', () => {
  it('ends with what the store tells, from its beginning on', async () => {
    const { heard, store, tell } = telling();
    const watch = await SessionWatch.of(store, 's');
    watch.begin();
    tell();
    expect(await watch.wait(600_000, undefined)).toBe(false);
    watch.begin();
    const waiting = watch.wait(600_000, undefined);
    tell();
    expect(await waiting).toBe(false);
    await watch[Symbol.asyncDispose]();
    expect(heard.size).toBe(0);
  });

  it('ends by itself, of a store that tells nothing too', async () => {
    for (const store of [telling().store, memoryStore()]) {
      const watch = await SessionWatch.of(store, 's');
      watch.begin();
      const before = performance.now();
      expect(await watch.wait(10, undefined)).toBe(false);
      expect(performance.now() - before).toBeGreaterThan(8);
      await watch[Symbol.asyncDispose]();
    }
  });

  it('ends with its signal, and leaves nothing at it', async () => {
    const watch = await SessionWatch.of(memoryStore(), 's');
    const controller = new AbortController();
    const { signal } = controller;
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await watch.wait(0, signal);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
    const waiting = watch.wait(600_000, signal);
    controller.abort();
    expect(await waiting).toBe(true);
    expect(await watch.wait(600_000, signal)).toBe(true);
    expect(added).toHaveBeenCalledTimes(2);
  });
});

describe('a change of a session that others work on', () => {
  const conflict = new ShallotError('STORE_CONFLICT', { message: 'It is being worked on.' });
  const failing = (times: number, error: Error = conflict) => {
    let calls = 0;
    const change = async (): Promise<number> => {
      calls += 1;
      if (calls <= times) throw error;
      return calls;
    };
    return { change, calls: () => calls };
  };

  it('is tried again until it is made', async () => {
    const { heard, store, tell } = telling();
    const { change, calls } = failing(3);
    const making = whenReleased(store, 's', {}, change);
    await expect.poll(() => (tell(), calls()), { interval: 1 }).toBe(4);
    expect(await making).toBe(4);
    expect(heard.size).toBe(0);
  });

  it('is not tried again when it fails for another reason', async () => {
    const { change, calls } = failing(1, new Error('broken'));
    await expect(whenReleased(memoryStore(), 's', {}, change)).rejects.toThrow('broken');
    expect(calls()).toBe(1);
  });

  it('is given up after its time: at once without any', async () => {
    const once = failing(9);
    await expect(whenReleased(memoryStore(), 's', { waitMs: 0 }, once.change)).rejects.toBe(conflict);
    expect(once.calls()).toBe(1);
    const twice = failing(9);
    await expect(whenReleased(memoryStore(), 's', { waitMs: 5 }, twice.change)).rejects.toBe(conflict);
    expect(twice.calls()).toBeGreaterThan(1);
  });

  it('is tried after pauses that double, up to half a second', async () => {
    const { store } = telling();
    const pauses: number[] = [];
    const wait = vi.spyOn(SessionWatch.prototype, 'wait').mockImplementation(async (ms) => {
      pauses.push(ms);
      return false;
    });
    await whenReleased(store, 's', {}, failing(7).change).finally(() => wait.mockRestore());
    expect(pauses).toEqual([20, 40, 80, 160, 320, 500, 500]);
  });

  it('is given up with its signal', async () => {
    const { change, calls } = failing(9);
    const reason = new Error('enough');
    const aborted = { signal: AbortSignal.abort(reason) };
    await expect(whenReleased(memoryStore(), 's', aborted, change)).rejects.toBe(reason);
    expect(calls()).toBe(0);
    const controller = new AbortController();
    const making = whenReleased(memoryStore(), 's', { signal: controller.signal }, change);
    controller.abort(reason);
    await expect(making).rejects.toBe(reason);
    expect(calls()).toBe(1);
  });
});
