import { describe, expect, it } from 'vitest';

import { ShallotError } from '../../base/errors.ts';
import { Closing } from './closing.ts';

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
    const started = performance.now();
    expect(await closing.wait('the runs', never, 4)).toBe(false);
    const share = performance.now() - started;
    expect(share).toBeGreaterThan(15);
    expect(share).toBeLessThan(75);
  });

  it('late, but before the end, are no error', async () => {
    const closing = new Closing(500);
    const late = new Promise<void>((resolve) => setTimeout(resolve, 10));
    expect(await closing.wait('the runs', late, 500)).toBe(false);
    await expect(closing.end('a', [])).resolves.toBeUndefined();
  });

  it('never are named, before what has failed', async () => {
    const closing = new Closing(4);
    await closing.wait('the runs', never, 2);
    await closing.wait('audit', never, 1);
    await expect(closing.end('a', [failure('limits')])).rejects.toMatchObject({
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
