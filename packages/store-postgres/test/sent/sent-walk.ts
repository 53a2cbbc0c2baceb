import { setTimeout as sleep } from 'node:timers/promises';

import { isShallotError } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import {
  answerInterrupts,
  pendingInterrupts,
  resubmitRun,
  sendMessage,
  sentMessages,
  stopRun,
  submitRun,
  unsendMessage,
} from '@shallot/core/work';

import { checkSent, randomFrom, type Sent } from '../../../core/test/programs/check-sent.ts';

/** The number of runs that a walk begins while its senders send. */
const rounds = 3;
/** The most messages of each sender. On a slow machine there are fewer. */
const mostMessages = 10;

/** The counts of a walk. */
export interface WorkedWalk {
  readonly taken: number;
  readonly refused: number;
  readonly unsent: number;
}

/**
 * Lets two senders send messages to the runs of a session. Workers execute the runs, which ask, are answered and are
 * stopped at random. @throws if a message is lost, repeated, in the wrong order for its sender, or present although it
 * was withdrawn
 */
export async function walkWithWorkers(
  seed: number,
  store: Store,
  senders: readonly Store[],
): Promise<WorkedWalk> {
  const walk = new Walk(seed, store);
  try {
    await walk.begin();
    await Promise.all([walk.conduct(), ...senders.map((from, index) => walk.send(from, `sender${index}`))]);
    await walk.end();
    return await walk.check();
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

class Walk {
  readonly #id: string;
  readonly #store: Store;
  readonly #random: () => number;
  readonly #sent: Sent[] = [];
  readonly #unsent = new Set<string>();
  #refused = 0;
  #count = 0;
  #isOver = false;

  constructor(seed: number, store: Store) {
    this.#id = `walk${seed}`;
    this.#store = store;
    this.#random = randomFrom(seed);
  }

  async begin(): Promise<void> {
    await submitRun(this.#store, this.#id, 'Go.', { agent: 'walk' });
  }

  /** Answers the questions of runs, stops some runs, and begins the next ones. */
  async conduct(): Promise<void> {
    try {
      for (let round = 1; round <= rounds; round += 1) {
        while (!(await this.#isThrough())) {
          if (this.#random() < 0.05) await this.#try(() => stopRun(this.#store, this.#id));
          await sleep(50 + 100 * this.#random());
        }
        if (round < rounds) await this.#try(() => this.begin());
      }
    } finally {
      this.#isOver = true;
    }
  }

  /** Waits until no message is left in the inbox. If no run takes the last ones, begins another run for them. */
  async end(): Promise<void> {
    for (let looks = 1; ; looks += 1) {
      const isThrough = await this.#isThrough();
      if (isThrough && (await sentMessages(this.#store, this.#id)).length === 0) return;
      if (isThrough && looks % 5 === 0)
        await this.#try(() => submitRun(this.#store, this.#id, 'Go on.', { agent: 'walk' }));
      await sleep(100);
    }
  }

  async send(from: Store, sender: string): Promise<void> {
    for (let number = 1; number <= mostMessages && !this.#isOver; number += 1) {
      await sleep(20 + 200 * this.#random());
      this.#count += 1;
      const chance = this.#random();
      const when = chance < 0.5 ? 'next-step' : chance < 0.8 ? 'instead' : 'after-run';
      const id = `${sender}_${this.#count}`;
      try {
        await sendMessage(from, this.#id, { role: 'user', content: id, id }, { when });
        this.#sent.push({ id, sender, when });
      } catch (error) {
        // The session has not begun, or its run has ended. The sender learns this from the error.
        if (!isShallotError(error, 'SESSION_NOT_RUNNING')) throw error;
        this.#refused += 1;
        continue;
      }
      if (this.#random() < 0.15 && (await unsendMessage(from, this.#id, id))) this.#unsent.add(id);
    }
  }

  async check(): Promise<WorkedWalk> {
    const { messages = [] } = (await this.#store.load(this.#id)) ?? {};
    checkSent(messages, this.#sent, this.#unsent);
    return {
      taken: this.#sent.length - this.#unsent.size,
      refused: this.#refused,
      unsent: this.#unsent.size,
    };
  }

  /** Returns true if the last run has completed. Answers or resumes a run that cannot continue by itself. */
  async #isThrough(): Promise<boolean> {
    const run = (await this.#store.head?.(this.#id))?.run;
    if (run === undefined || run.status === 'completed') return true;
    if (run.status === 'aborted' || run.status === 'failed' || run.parked === true) {
      const isAbandoned = run.parked !== true && this.#random() < 0.3;
      await this.#try(() =>
        isAbandoned
          ? submitRun(this.#store, this.#id, 'Anew.', { agent: 'walk', abandon: true })
          : resubmitRun(this.#store, this.#id, { waitMs: 0 }),
      );
    }
    if (run.status === 'interrupted')
      for (const { id } of await pendingInterrupts(this.#store, this.#id))
        await this.#try(() => answerInterrupts(this.#store, this.#id, { [id]: 'yes' }, { waitMs: 0 }));
    return false;
  }

  /** Ignores a failed attempt, because a worker or a sender may have acted first. */
  async #try(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!isShallotError(error)) throw error;
    }
  }
}
