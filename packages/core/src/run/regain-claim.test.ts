import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { agentAt, claimMs, places } from '../../test/programs/waking-places.ts';
import { newClaim } from '../base/claim.ts';
import { ShallotError } from '../base/errors.ts';
import { Frame } from '../hooks/frame.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { regainClaim } from './regain-claim.ts';
import type { RunParts } from './run-parts.ts';

describe.each(Object.entries(places))('a claim that has lapsed before %s', (_, place) => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setInterval', 'clearInterval'] }),
  );
  afterEach(() => void vi.useRealTimers());

  it('is renewed before anything begins', async () => {
    const store = memoryStore();
    let renewals = 0;
    const counting = {
      ...store,
      renew(...args: Parameters<typeof store.renew>) {
        renewals += 1;
        return store.renew(...args);
      },
    };
    const begun: number[] = [];
    const sleep = async (): Promise<void> => void vi.setSystemTime(Date.now() + claimMs + 1);
    const agent = await agentAt(place, counting, sleep, () => void begun.push(renewals));
    await Promise.allSettled([agent.run('go', { sessionId: 's' })]);
    expect(begun[0]).toBe(1);
  });

  it('aborts the run if another has the session', async () => {
    const store = memoryStore();
    const begun: string[] = [];
    const sleep = async (): Promise<void> => {
      vi.setSystemTime(Date.now() + claimMs + 1);
      const { revision = 0 } = (await store.load('s')) ?? {};
      await store.commit('s', revision, { claim: { ...newClaim('other', 60_000), host: 'elsewhere' } });
    };
    const agent = await agentAt(place, store, sleep, (what) => void begun.push(what));
    await expect(agent.run('go', { sessionId: 's' })).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect(begun).toEqual([]);
  });
});

interface Given {
  readonly renew?: () => Promise<boolean>;
  readonly isHeld?: boolean;
  readonly isRenewing?: boolean;
  readonly stopped?: ShallotError;
  readonly isOver?: boolean;
}

/** A run that notes what the renewal of its claim does to it. */
function runWith({
  renew = async () => false,
  isHeld = true,
  isRenewing = false,
  stopped,
  isOver = false,
}: Given) {
  const done: unknown[] = [];
  const run = {
    record: { session: { id: 's', renew, isHeld, isRenewing } },
    life: {
      stopped,
      isOver,
      stopAfterStep: () => void done.push('stop'),
      abort: (reason: unknown) => void done.push(reason),
    },
    signs: { warn: (...warning: readonly string[]) => void done.push(warning) },
    terms: { parts: { claimMs: 500 } },
  };
  return { run: run as unknown as RunParts, done };
}

const lost = new ShallotError('STORE_CONFLICT', { message: 'another process took it over' });
const down = new ShallotError('STORE_FAILED', { message: 'connection reset' });
const aborted = new ShallotError('RUN_ABORTED', { message: 'The run was aborted.' });

function failing(error: Error): () => Promise<never> {
  return async () => {
    throw error;
  };
}

describe('a renewal', () => {
  it.each<[string, Given, unknown[]]>([
    ['leaves the run alone', {}, []],
    ['stops the run if that was requested meanwhile', { renew: async () => true }, ['stop']],
    [
      'that came too late is reported',
      { isHeld: false },
      [
        [
          'CLAIM_NOT_RENEWED',
          'The claim on session "s" lapsed again before the store had renewed it: claimMs is 500. It is renewed again; nothing begins until then.',
        ],
      ],
    ],
    ['that was pending while the process slept may fail', { isRenewing: true, renew: failing(down) }, []],
  ])('%s', async (_, given, expected) => {
    const { run, done } = runWith(given);
    await regainClaim(run);
    expect(done).toEqual(expected);
  });

  it.each<[string, Given, unknown[], Error]>([
    ['fails', { renew: failing(down) }, [down], down],
    ['finds another run', { renew: failing(lost) }, [lost], lost],
    ['was pending, and finds another run', { isRenewing: true, renew: failing(lost) }, [lost], lost],
    [
      'was pending when the run was aborted',
      { isRenewing: true, renew: failing(down), stopped: aborted },
      [down],
      aborted,
    ],
    ['fails after the end of the run', { renew: failing(down), isOver: true }, [], down],
  ])('that %s rejects, and aborts a run in progress', async (_, given, expected, error) => {
    const { run, done } = runWith(given);
    await expect(regainClaim(run)).rejects.toBe(error);
    expect(done).toEqual(expected);
  });

  it('is left when the frame of its caller closes', async () => {
    const { run } = runWith({ renew: () => new Promise(() => {}) });
    const frame = new Frame();
    const regained = regainClaim(run, frame);
    frame.close(aborted);
    await expect(regained).rejects.toBe(aborted);
  });
});
