import { ShallotError } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { Uncaught } from './uncaught.ts';

const broken = (message: string): ShallotError => new ShallotError('UNCAUGHT', { message });

/** With what nobody else heard of. */
function listening(): { readonly uncaught: Uncaught; readonly heard: ShallotError[] } {
  const heard: ShallotError[] = [];
  return { uncaught: new Uncaught((error) => void heard.push(error)), heard };
}

describe('an error that nobody waits for', () => {
  it('aborts the run that is under way, which rejects with what it makes of that', async () => {
    const { uncaught, heard } = listening();
    const error = broken('a');
    const run = uncaught.orFailed(AbortSignal.any([]), async (signal) => {
      uncaught.report(error);
      uncaught.report(broken('b'));
      signal.throwIfAborted();
    });
    await expect(run).rejects.toBe(error);
    expect(heard.map(({ message }) => message)).toEqual(['b']);
  });

  it('fails work that was over before Node told of it', async () => {
    const { uncaught, heard } = listening();
    const error = broken('late');
    const run = uncaught.orFailed(AbortSignal.any([]), async () => {
      setImmediate(() => uncaught.report(error));
      return 'done';
    });
    await expect(run).rejects.toBe(error);
    expect(heard).toEqual([]);
  });

  it('does not stand in for what a run that was told to stop ended with', async () => {
    const { uncaught, heard } = listening();
    const stop = new AbortController();
    const stopped = new Error('stopped');
    const run = uncaught.orFailed(stop.signal, async () => {
      stop.abort();
      uncaught.report(broken('meanwhile'));
      throw stopped;
    });
    await expect(run).rejects.toBe(stopped);
    expect(heard).toHaveLength(1);
  });

  it('is told beside another failure of the run', async () => {
    const { uncaught, heard } = listening();
    const failure = new Error('other');
    const run = uncaught.orFailed(AbortSignal.any([]), async () => {
      uncaught.report(broken('first'));
      throw failure;
    });
    await expect(run).rejects.toBe(failure);
    expect(heard).toHaveLength(1);
  });

  it('rejects work that would never settle', async () => {
    const { uncaught } = listening();
    const error = broken('a');
    const work = uncaught.orFirst(() => {
      uncaught.report(error);
      return new Promise(() => {});
    });
    await expect(work).rejects.toBe(error);
  });

  it('is told once, however often it comes, but fails each run', async () => {
    const { uncaught, heard } = listening();
    for (let time = 0; time < 3; time += 1) uncaught.report(broken('again'));
    expect(heard).toHaveLength(1);
    const run = uncaught.orFailed(AbortSignal.any([]), async () => uncaught.report(broken('again')));
    await expect(run).rejects.toThrow('again');
    expect(heard).toHaveLength(1);
  });
});
