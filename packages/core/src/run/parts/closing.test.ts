import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { ShallotError } from '../../base/errors.ts';
import { Closing } from './closing.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const never = new Promise<void>(() => {});
const failure = (plugin: string): ShallotError =>
  new ShallotError('PLUGIN_FAILED', { message: 'no', plugin });

describe('parts of an agent that close', () => {
  it('in time are no error', async () => {
    const closing = new Closing(1000);
    expect(await closing.wait('the runs', Promise.resolve(), 2)).toBe(true);
    expect(await closing.wait('the plugins', Promise.resolve(), 1)).toBe(true);
    await expect(closing.end('a', [])).resolves.toBeUndefined();
  });

  it('each have their share of the time that is left', async () => {
    const closing = new Closing(80);
    let isInTime: boolean | undefined;
    const waitFor = (name: string, parts: number): void =>
      void closing.wait(name, never, parts).then((inTime) => (isInTime = inTime));
    waitFor('the runs', 4);
    await vi.advanceTimersByTimeAsync(19);
    expect(isInTime).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(isInTime).toBe(false);
    isInTime = undefined;
    waitFor('the plugins', 3);
    await vi.advanceTimersByTimeAsync(19);
    expect(isInTime).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(isInTime).toBe(false);
  });

  it('late, but before the end, are no error', async () => {
    const closing = new Closing(500);
    const late = new Promise<void>((resolve) => setTimeout(resolve, 499));
    const waited = closing.wait('the runs', late, 500);
    await vi.advanceTimersByTimeAsync(1);
    expect(await waited).toBe(false);
    const ended = closing.end('a', []);
    await vi.advanceTimersByTimeAsync(498);
    await expect(ended).resolves.toBeUndefined();
  });

  it('never are named, before what has failed', async () => {
    const closing = new Closing(4);
    const waited = [closing.wait('the runs', never, 2), closing.wait('audit', never, 1)];
    await vi.advanceTimersByTimeAsync(4);
    expect(await Promise.all(waited)).toEqual([false, false]);
    const ended = closing.end('a', [failure('limits')]).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1);
    expect(await ended).toMatchObject({
      code: 'CLOSE_FAILED',
      errors: [
        {
          code: 'CLOSE_TIMEOUT',
          message:
            'The agent a was not closed within 4 ms. Still running: the runs, audit. Make it end sooner, or raise closeTimeoutMs.',
        },
        { code: 'PLUGIN_FAILED', plugin: 'limits' },
      ],
    });
  });
});

describe('a failure to close', () => {
  it('is thrown as it is if it is the only one', async () => {
    const only = failure('limits');
    await expect(new Closing(10).end('a', [only])).rejects.toBe(only);
  });

  it('of the application is thrown as it is', async () => {
    const [first, second] = [new Error('the pool is busy'), new Error('later')];
    await expect(new Closing(10).end('a', [first, second])).rejects.toBe(first);
  });

  it('of a plugin comes before one of the application', async () => {
    const own = failure('limits');
    await expect(new Closing(10).end('a', [new Error('the pool is busy'), own])).rejects.toBe(own);
  });
});
