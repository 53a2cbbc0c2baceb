import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { isShallotError, type Interrupt, type JsonValue } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { answerInterrupts, pendingInterrupts, submitRun } from '@shallot/core/work';

import type { TreeTerms } from '../programs/tree-process.ts';
import { openTreeStore, type TreePlace } from './open-tree-store.ts';
import { TreeLedger } from './tree-ledger.ts';

const program = fileURLToPath(new URL('../programs/tree-process.ts', import.meta.url));

/** Longer than the time between two renewals of a worker on a busy machine. */
const claimMs = 1500;

/** The number of trees in progress at once, for two workers. */
const atOnce = 6;

const allEffects = ['low confirm', 'low write', 'mid write', 'root write', 'side confirm', 'side write'];

/** The counts of a sweep. */
export interface TreeSweep {
  readonly trees: number;
  readonly kills: number;
  /** The number of kills while a question two levels down was open. */
  readonly killsWithDeepQuestion: number;
  /** The number of kills after which the next worker used another host name. */
  readonly killsWithNewHost: number;
  /** The number of times that a worker was suspended for longer than its claims last. */
  readonly freezes: number;
  readonly unknownEffects: number;
}

/** A worker process that is started again after each kill. */
class TreeWorker {
  readonly #terms: Omit<TreeTerms, 'host'>;
  readonly #name: string;
  #process: ChildProcess;
  #ready: Promise<unknown>;
  #lives = 0;

  constructor(terms: Omit<TreeTerms, 'host'>, name: string) {
    this.#terms = terms;
    this.#name = name;
    [this.#process, this.#ready] = this.#start();
  }

  #start(): [ChildProcess, Promise<unknown>] {
    this.#lives += 1;
    const host = this.#lives % 2 === 0 ? undefined : `${this.#name}-${this.#lives}`;
    const child = spawn(
      process.execPath,
      ['--no-warnings', program, JSON.stringify({ ...this.#terms, host })],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    return [child, Promise.race([once(child.stdout, 'data'), once(child, 'exit')])];
  }

  get ready(): Promise<unknown> {
    return this.#ready;
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child.exitCode !== null) throw new Error(`a worker ended by itself, with status ${child.exitCode}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    [this.#process, this.#ready] = this.#start();
  }

  async freeze(ms: number): Promise<void> {
    this.#process.kill('SIGSTOP');
    await sleep(ms);
    this.#process.kill('SIGCONT');
  }

  end(): void {
    this.#process.kill('SIGKILL');
  }
}

/**
 * Kills workers that execute trees, `kills` times. Answers the questions of the trees, and checks each tree that has
 * ended.
 */
export async function sweepTrees(place: TreePlace, ledgerPath: string, kills: number): Promise<TreeSweep> {
  const store = openTreeStore(place);
  const ledger = new TreeLedger(ledgerPath);
  const workers = ['a', 'b'].map((name) => new TreeWorker({ place, ledger: ledgerPath, claimMs }, name));
  const sweep = new Sweep(store, ledger);
  try {
    await sweep.tend();
    await Promise.all(workers.map(({ ready }) => ready));
    const disturbed = disturb(workers, kills, sweep).then(() => (sweep.isClosing = true));
    while (!sweep.isOver) {
      await sweep.tend();
      await Promise.race([sleep(100), disturbed.then(() => sleep(20))]);
    }
    await disturbed;
    return sweep.counts;
  } finally {
    for (const worker of workers) worker.end();
    ledger.close();
    await store.close?.();
  }
}

async function disturb(workers: readonly TreeWorker[], kills: number, sweep: Sweep): Promise<void> {
  const { counts } = sweep;
  await Promise.all(
    workers.map(async (worker, index) => {
      for (let turn = 0; counts.kills < kills; turn += 1) {
        await worker.ready;
        await sleep(50 + 400 * Math.random());
        // Meanwhile the other worker continues, and takes over the sessions that this one has claimed.
        if (turn % 8 === 4 + index) {
          counts.freezes += 1;
          await worker.freeze(claimMs * 1.5);
          continue;
        }
        counts.kills += 1;
        if (sweep.hasDeepQuestion) counts.killsWithDeepQuestion += 1;
        if (counts.kills % 2 === 0) counts.killsWithNewHost += 1;
        await worker.kill();
      }
    }),
  );
}

/** The trees of a sweep, and the person who answers their questions. */
class Sweep {
  readonly counts = {
    trees: 0,
    kills: 0,
    killsWithDeepQuestion: 0,
    killsWithNewHost: 0,
    freezes: 0,
    unknownEffects: 0,
  };
  /** True if no more trees begin. */
  isClosing = false;
  hasDeepQuestion = false;
  readonly #store: Store;
  readonly #ledger: TreeLedger;
  readonly #open = new Set<string>();
  /** The questions that were answered, by their ids. */
  readonly #answered = new Map<string, Interrupt>();

  constructor(store: Store, ledger: TreeLedger) {
    this.#store = store;
    this.#ledger = ledger;
  }

  get isOver(): boolean {
    return this.isClosing && this.#open.size === 0;
  }

  /** Begins trees, answers some of the questions, and checks trees that have ended. */
  async tend(): Promise<void> {
    while (!this.isClosing && this.#open.size < atOnce) {
      this.counts.trees += 1;
      const id = `tree-${this.counts.trees}`;
      await submitRun(this.#store, id, 'Go', { agent: 'root' });
      this.#open.add(id);
    }
    let isDeep = false;
    for (const id of this.#open) {
      const open = await pendingInterrupts(this.#store, id).catch((error: unknown) => {
        // A worker is working on the session.
        if (isShallotError(error)) return [];
        throw error;
      });
      if (open.some(({ under = [] }) => under.length === 2)) isDeep = true;
      for (const interrupt of open) {
        // The questions of tools stay open over some kills.
        if (this.isClosing || Math.random() < (interrupt.kind === 'question' ? 0.04 : 0.5))
          await this.#answer(id, interrupt);
      }
      await this.#endTree(id);
    }
    this.hasDeepQuestion = isDeep;
  }

  async #answer(id: string, interrupt: Interrupt): Promise<void> {
    const isUnknown = interrupt.kind !== 'question';
    const effect = { tree: id, mark: await this.#markOf(id, interrupt) };
    if (this.#answered.has(interrupt.id)) throw new Error(`${effect.mark} of ${id} is asked about again`);
    let answer: JsonValue = 'yes';
    if (isUnknown) {
      this.counts.unknownEffects += 1;
      answer = (await this.#ledger.wasMade(effect))
        ? { action: 'result', result: 'written' }
        : { action: 'repeat' };
    }
    try {
      await answerInterrupts(this.#store, id, { [interrupt.id]: answer }, { waitMs: 0 });
      this.#answered.set(interrupt.id, interrupt);
    } catch (error) {
      // A worker was first, so the question stays open until the next attempt.
      if (!isShallotError(error)) throw error;
    }
  }

  /** Returns a label for the agent and the tool that a question is about. */
  async #markOf(id: string, { call, under = [] }: Interrupt): Promise<string> {
    let agent = 'root';
    let sessionId = id;
    for (const callId of under) {
      const record = await this.#store.load(sessionId);
      const calls = record?.messages.flatMap(({ role, content }) => (role === 'assistant' ? content : []));
      const made = calls?.find((part) => part.type === 'tool-call' && part.id === callId);
      agent = String(Reflect.get(Object(made?.type === 'tool-call' ? made.input : {}), 'to'));
      for await (const child of this.#store.list({ parent: sessionId })) {
        const { run } = (await this.#store.load(child.id)) ?? {};
        if (run?.parent?.callId === callId) sessionId = child.id;
      }
    }
    return `${agent} ${call?.name ?? ''}`;
  }

  /** Checks a tree that has ended: everything must have been done once, by one child each, and counted. */
  async #endTree(id: string): Promise<void> {
    const record = await this.#store.load(id);
    if (record?.run?.parked === true) throw new Error(`${id} was given up: ${JSON.stringify(record.run)}`);
    if (record?.run?.status !== 'completed') return;
    this.#open.delete(id);
    assert.deepEqual(this.#ledger.effectsOf(id), allEffects, `the effects of ${id}`);
    const sessions = [id];
    for (const parent of sessions)
      for await (const child of this.#store.list({ parent })) sessions.push(child.id);
    assert.equal(sessions.length, 4, `the sessions of ${id}`);
    let turns = 0;
    for (const session of sessions) {
      const { messages = [], run, journal } = (await this.#store.load(session)) ?? {};
      turns += messages.filter(({ role }) => role === 'assistant').length;
      assert.deepEqual(
        [run?.status, run?.interrupts, journal],
        ['completed', [], {}],
        `the run of ${session} in ${id}`,
      );
    }
    const { modelCalls, total } = record.run.usage;
    assert.deepEqual([modelCalls, total], [turns, 11 * turns], `the usage of ${id}`);
    const asked = [...this.#answered.values()].filter(
      ({ kind, payload }) => kind === 'question' && Reflect.get(Object(payload), 'tree') === id,
    );
    assert.equal(asked.length, 2, `the questions of ${id}`);
  }
}
