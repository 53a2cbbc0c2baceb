import { setTimeout as sleep } from 'node:timers/promises';

import { codeOf, ShallotError } from '../base/errors.ts';
import { messageOf } from '../base/thrown.ts';
import type { SessionSummary } from '../contract/store.ts';
import type { Keep } from '../contract/work/work-defaults.ts';
import { durationMs, keepOption } from '../options/keep-option.ts';
import { readOptions } from '../options/option-shape.ts';
import type { AgentParts } from '../run/agent-parts.ts';
import { dueAt } from '../sessions/stores/due-at.ts';
import { loadHead } from '../sessions/stores/load-head.ts';
import type { WorkOptions } from './work-options.ts';

const dayMs = 86_400_000;

/** The time between two requests for the duty to delete, in milliseconds. */
const askMs = dayMs / 24;

/**
 * The number of deletions between two pauses, and the length of a pause in milliseconds, which leaves the store to
 * others.
 */
const [batch, pauseMs] = [100, 1000];

/** The milliseconds to keep sessions, by status. */
type Terms = Readonly<Partial<Record<keyof Keep, number>>>;

/** A session as it was seen, with the metadata of its run if that was submitted. */
export interface Outdated {
  readonly summary: SessionSummary;
  readonly metadata: Parameters<NonNullable<WorkOptions['context']>>[1];
}

/**
 * Deletes the sessions of an agent that have not changed for a given time. Only one of all workers does so, once a day.
 * If workers want different times, the longest one applies, and sessions of a status that one of them keeps forever
 * stay.
 */
export class Retention {
  readonly #parts: Pick<AgentParts, 'store' | 'log' | 'identity'>;
  readonly #filter: WorkOptions['filter'];
  readonly #terms: Terms;
  readonly #remove: (outdated: Outdated) => Promise<void>;
  readonly #stopping = new AbortController();
  #nextAsk = 0;
  #current: Promise<void> | undefined;
  #isDifferenceSaid = false;

  /** @throws `OPTION_INVALID` */
  constructor(
    parts: Pick<AgentParts, 'store' | 'log' | 'identity'>,
    { keep = {}, filter }: Pick<WorkOptions, 'keep' | 'filter'>,
    remove: (outdated: Outdated) => Promise<void>,
  ) {
    readOptions('agent.work', { keep: keepOption }, { keep });
    this.#parts = parts;
    this.#filter = filter;
    this.#remove = remove;
    const given = Object.entries(keep as Readonly<Record<string, string | undefined>>).flatMap(
      ([status, time]): [string, number][] => (time === undefined ? [] : [[status, durationMs(time)]]),
    );
    // Sorted, because equal terms must be equal strings.
    this.#terms = Object.fromEntries(given.toSorted(([a], [b]) => a.localeCompare(b)));
    if (given.length > 0 && parts.store.takeDuty === undefined) {
      throw new ShallotError('OPTION_INVALID', {
        message:
          'The store cannot give a duty to one of several workers (it has no `takeDuty`), so `keep` would let all of them delete sessions. Leave `keep` out, and delete with shallot sessions prune.',
      });
    }
  }

  /** Asks for the duty if it is time to, and performs it. */
  check(): void {
    if (Object.keys(this.#terms).length === 0 || this.#current !== undefined || Date.now() < this.#nextAsk)
      return;
    this.#nextAsk = Date.now() + askMs;
    this.#current = this.#ask()
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#parts.log.warn(
            { code: codeOf(error) },
            `Sessions whose time is over could not be deleted; the next worker goes on: ${messageOf(error)}`,
          );
      })
      .finally(() => (this.#current = undefined));
  }

  /** Ends after the deletion in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#current;
  }

  async #ask(): Promise<void> {
    const { store, identity } = this.#parts;
    const duty = JSON.stringify(['retention', identity?.id ?? null, this.#filter ?? {}]);
    const taken = await store.takeDuty?.(duty, JSON.stringify(this.#terms), dayMs);
    if (taken?.isTaken !== true) return;
    const terms = this.#agreed(taken.terms);
    let deleted = 0;
    for (const [status, ms] of Object.entries(terms)) {
      const before = Date.now() - ms;
      for await (const summary of this.#ended(status as keyof Keep)) {
        if (this.#stopping.signal.aborted) return;
        if (summary.damaged === true || summary.updatedAt >= before) continue;
        if (await this.#delete(summary)) deleted += 1;
        if (deleted > 0 && deleted % batch === 0)
          await sleep(pauseMs, undefined, { signal: this.#stopping.signal });
      }
    }
    if (deleted > 0)
      this.#parts.log.info({ deleted }, `Deleted ${deleted} sessions whose time to keep them was over.`);
  }

  /** Returns the longest time for each status that all of the workers name; reports once that they differ. */
  #agreed(all: readonly string[]): Terms {
    const others = all.map((terms) => JSON.parse(terms) as Terms);
    if (others.length > 1 && !this.#isDifferenceSaid) {
      this.#isDifferenceSaid = true;
      this.#parts.log.warn(
        { code: 'RETENTION_DIFFERS', terms: others },
        'Workers of this agent keep sessions for different times. The longest counts, and what one of them keeps stays. Give all of them the same `keep`.',
      );
    }
    return Object.fromEntries(
      Object.keys(this.#terms).flatMap((status) => {
        const times = others.map((terms) => terms[status as keyof Keep] ?? Number.POSITIVE_INFINITY);
        const longest = Math.max(...times);
        return longest === Number.POSITIVE_INFINITY ? [] : [[status, longest]];
      }),
    );
  }

  async *#ended(status: keyof Keep): AsyncGenerator<SessionSummary> {
    const { store, identity } = this.#parts;
    const agent = identity === undefined ? {} : { agent: identity.id };
    for await (const summary of store.list({ ...this.#filter, ...agent, status }))
      if (summary.agent?.id === identity?.id) yield summary;
  }

  /** Deletes a session unless it has changed, or a worker has yet to take its run. */
  async #delete(summary: SessionSummary): Promise<boolean> {
    const { store, log } = this.#parts;
    const { id: sessionId } = summary;
    try {
      const head = await loadHead(store, sessionId);
      if (head === undefined || head.revision !== summary.revision) return false;
      if (head.run?.parked !== true && dueAt(head.run) !== undefined) return false;
      await this.#remove({ summary, metadata: head.run?.submitted?.metadata ?? {} });
      return true;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'STORE_CONFLICT' || code === 'SESSION_BUSY') return false;
      if (code.startsWith('STORE_') && code !== 'STORE_DAMAGED') throw error;
      log.warn({ sessionId, code }, `Session "${sessionId}" was kept: ${messageOf(error)}`);
      return false;
    }
  }
}
