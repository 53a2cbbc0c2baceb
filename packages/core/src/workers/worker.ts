import { setTimeout as sleep } from 'node:timers/promises';

import { codeOf, formatLocation, isShallotError } from '../base/errors.ts';
import { onAbort } from '../base/on-abort.ts';
import { messageOf } from '../base/thrown.ts';
import type { RunResult } from '../contract/result.ts';
import type { Store } from '../contract/store.ts';
import type { Logger } from '../log/logger.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { AgentParts } from '../run/agent-parts.ts';
import type { WorkerTerms } from '../run/resume/resume-run.ts';
import { contextOf } from './context-of.ts';
import { park, type ReadRun } from './park.ts';
import { PassedOver } from './passed-over.ts';
import { Retention } from './retention.ts';
import { runListener } from './run-listener.ts';
import { abortLeft } from './stop-run.ts';
import { submitUnread } from './submit-unread.ts';
import { Suspects } from './suspects.ts';
import { readNamed, wakeWhenReleased } from './wake-when-released.ts';
import { WorkFinder } from './work-finder.ts';
import type { WorkOptions } from './work-options.ts';
import { HealthWatch } from './worker-health.ts';

/** The runs of the worker's agent. */
export interface Runs {
  /** Resumes a run, and executes it to its end. */
  resume(sessionId: string, worker: WorkerTerms): Promise<RunResult>;
  /** Hands a run over to another process: after its current step, or at once. */
  handBack(sessionId: string, isAtOnce: boolean): void;
  /** Deletes a session with its files, unless it has another revision than this one. */
  delete(sessionId: string, ifRevision: number, context: unknown): Promise<unknown>;
}

/** Errors that mean that another process has the session, or that its run has ended. */
const passed: ReadonlySet<string> = new Set([
  'STORE_CONFLICT',
  'SESSION_BUSY',
  'SESSION_NOT_FOUND',
  'SESSION_NOT_RESUMABLE',
  'RUN_OF_ANOTHER_AGENT',
  'AGENT_CLOSED',
]);

/** Errors that mean that this worker lacks something that the run needs; another worker may have it. */
const forOthers: ReadonlySet<string> = new Set([
  'PLUGIN_GONE',
  'PLUGIN_INCOMPATIBLE',
  'TOOL_GONE',
  'MODEL_GONE',
  'STATE_VERSION',
  'STORE_FORMAT',
]);

/** The time limit for a search for work, in milliseconds. */
const longestLookMs = 60_000;

/** Resumes runs that no process works on, a limited number in parallel. */
export class Worker {
  readonly #runs: Runs;
  readonly #store: Store;
  readonly #log: Logger;
  readonly #redactor: Redactor;
  readonly #options: WorkOptions;
  readonly #concurrency: number;
  readonly #terms: WorkerTerms;
  readonly #finder: WorkFinder;
  /** The resumes in progress, by session. Each resolves to true if the run was executed here without an error. */
  readonly #working = new Map<string, Promise<boolean>>();
  readonly #passedOver: PassedOver;
  /** Sessions whose wait for another worker was reported. */
  readonly #reported = new Set<string>();
  /** The runs that are being taken, as they were read. */
  readonly #read = new Map<string, ReadRun>();
  /** Sessions whose last attempt ended because the store failed. */
  readonly #forgiven = new Set<string>();
  readonly #retention: Retention;
  readonly #suspects = new Suspects(() => void this.#look());
  readonly #health: HealthWatch;
  readonly #stopped = Promise.withResolvers<void>();
  #isStopped = false;
  #looking: Promise<void> | undefined;
  #looksAgain = false;
  #givingUp = new AbortController();

  constructor(
    runs: Runs,
    { store, log, redactor, identity }: Pick<AgentParts, 'store' | 'log' | 'redactor' | 'identity'>,
    options: WorkOptions,
  ) {
    this.#runs = runs;
    this.#store = store;
    this.#log = log;
    this.#redactor = redactor;
    this.#options = options;
    this.#concurrency = options.concurrency ?? 8;
    this.#finder = new WorkFinder({ store, log, identity }, options);
    const { retryPauseMs = 5000 } = options;
    const { warnAfterMs = 60_000 } = options;
    this.#passedOver = new PassedOver(Math.max(retryPauseMs, 1), warnAfterMs / 2);
    this.#health = new HealthWatch(log, options.onHealth);
    this.#retention = new Retention({ store, log, identity }, options, async ({ summary, metadata }) => {
      const { id, revision } = summary;
      await runs.delete(id, revision, await options.context?.(id, metadata));
    });
    this.#terms = {
      pauseMs: retryPauseMs,
      isSameVersionOnly: options.versions === 'same',
      admits: (sessionId, read) => {
        this.#read.set(sessionId, read);
        return this.#suspects.admits(sessionId, read.run);
      },
      isForgiven: (sessionId) => this.#forgiven.has(sessionId),
      contextOf: (...given) => contextOf(options, ...given),
      listenerOf: (sessionId, submitted) =>
        this.#suspects.watching(
          sessionId,
          runListener({ store, log }, options, sessionId, submitted?.stream === true),
        ),
    };
  }

  /** Works until the signal is aborted and nothing is in progress. */
  async work(): Promise<void> {
    const { signal, queue, intervalMs = 5000 } = this.#options;
    const leave = await queue?.listen((sessionId) => this.#woken(sessionId), this.#finder.agent);
    const forget = onAbort(signal, () => this.#stopped.resolve());
    const timer = setInterval(() => this.#tick(), intervalMs);
    this.#retention.check();
    void this.#look();
    await this.#stopped.promise;
    forget();
    clearInterval(timer);
    this.#isStopped = true;
    // The queue may wait for the runs it has started, so these are handed back at the same time.
    await Promise.all([leave?.(), this.#stop(), this.#retention.stop()]);
  }

  /** Hands back all runs after their current step; after `stopTimeoutMs` at once. */
  async #stop(): Promise<void> {
    const { stopTimeoutMs = 30_000 } = this.#options;
    for (const sessionId of this.#working.keys()) this.#runs.handBack(sessionId, false);
    const late = setTimeout(() => {
      this.#givingUp.abort();
      for (const sessionId of this.#working.keys()) this.#runs.handBack(sessionId, true);
    }, stopTimeoutMs);
    // A pending search starts no more runs.
    await Promise.all([this.#looking, ...this.#working.values()]);
    clearTimeout(late);
  }

  get #hasRoom(): boolean {
    return !this.#isStopped && this.#working.size < this.#concurrency;
  }

  #tick(): void {
    this.#health.check();
    this.#retention.check();
    void this.#look();
  }

  /** Searches the store for work, one search at a time; a call during a search causes another one after it. */
  #look(): Promise<void> {
    this.#looksAgain = this.#looking !== undefined;
    this.#looking ??= this.#lookInTime().finally(() => {
      this.#looking = undefined;
      if (this.#looksAgain) void this.#look();
    });
    return this.#looking;
  }

  /** Searches with a time limit, because a store that never answers must not keep the worker from searching again. */
  async #lookInTime(): Promise<void> {
    const givingUp = new AbortController();
    this.#givingUp = givingUp;
    const late = setTimeout(() => {
      this.#log.warn(`A look for work took more than ${longestLookMs / 1000} seconds, and was given up.`);
      givingUp.abort();
    }, longestLookMs);
    const { promise: givenUp, resolve } = Promise.withResolvers<void>();
    const forget = onAbort(givingUp.signal, () => resolve());
    await Promise.race([this.#lookOnce(givingUp.signal), givenUp]);
    forget();
    clearTimeout(late);
  }

  async #lookOnce(givenUp: AbortSignal): Promise<void> {
    // A busy worker only checks that its store answers.
    if (!this.#hasRoom && (this.#isStopped || !this.#health.isQuiet)) return;
    try {
      const isGiven = this.#finder.takes && this.#hasRoom;
      if (isGiven) await this.#takeGiven(givenUp);
      if (!isGiven || this.#passedOver.isSurveyDue) await this.#lookThrough(givenUp, isGiven);
    } catch (error) {
      this.#health.failed(error);
      this.#log.warn({ code: codeOf(error) }, `The worker could not look for work: ${messageOf(error)}`);
    }
  }

  /** Takes runs that the store gives to this worker alone. */
  async #takeGiven(givenUp: AbortSignal): Promise<void> {
    const room = this.#concurrency - this.#working.size;
    const given = await this.#finder.take(room, this.#passedOver.ids);
    if (givenUp.aborted) return;
    this.#health.answered();
    for (const { id, stopRequested } of given) if (this.#hasRoom) this.#take(id, stopRequested);
  }

  /**
   * Lists the sessions that wait, and forgets passed-over sessions that no longer do. Also takes the listed runs, for which
   * other workers may compete, unless the store gives runs to this worker alone.
   */
  async #lookThrough(givenUp: AbortSignal, isGiven: boolean): Promise<void> {
    const waiting = new Map<string, number | undefined>();
    for (const id of this.#working.keys()) waiting.set(id, undefined);
    for await (const { id, revision, damaged, stopRequested } of this.#finder.find()) {
      if (givenUp.aborted) return;
      this.#health.answered();
      waiting.set(id, revision);
      if (isGiven) continue;
      if (!this.#hasRoom) return;
      if (damaged !== true && !this.#passedOver.has(id)) this.#take(id, stopRequested);
    }
    if (givenUp.aborted) return;
    this.#health.answered();
    this.#passedOver.keep(waiting);
    this.#reportLeft();
  }

  /**
   * Takes the session that the queue named, and does not wait for its run. Returns the time at which the queue should
   * name it again; undefined if it should not.
   */
  async #woken(sessionId: string): Promise<number | undefined> {
    // A session refused at once would be named again at once, so this waits for a free place.
    if (!this.#hasRoom) await Promise.race([this.#stopped.promise, sleep(1000, undefined, { ref: false })]);
    if (!this.#hasRoom) return Date.now();
    const refusedUntil = this.#passedOver.refusedUntil(sessionId);
    if (refusedUntil !== undefined) return refusedUntil;
    if (!(await this.#finder.mayTake(sessionId))) return undefined;
    const [parts, { queue }] = [{ store: this.#store, log: this.#log }, this.#options];
    const named = this.#working.has(sessionId) ? undefined : await readNamed(parts, sessionId);
    if (named?.heldUntil !== undefined) return named.heldUntil;
    // A search may have taken the run first.
    if (named?.isDue === false) return undefined;
    this.#take(sessionId, named?.isToStop);
    void this.#working.get(sessionId)?.then(async (isOurs) => {
      if (!isOurs && !this.#isStopped) await wakeWhenReleased(queue, parts, sessionId, this.#finder.agent);
    });
    return undefined;
  }

  /** Executes a run; aborts it instead if it was to be stopped, but its process died before it did that. */
  #take(sessionId: string, isToStop = false): void {
    if (this.#working.has(sessionId)) return;
    const working = (isToStop ? abortLeft(this.#store, sessionId) : this.#execute(sessionId))
      .then(() => {
        this.#ended(sessionId);
        return true;
      })
      .catch(async (error: unknown) => {
        await this.#failed(sessionId, error);
        return false;
      })
      .finally(() => {
        this.#working.delete(sessionId);
        this.#read.delete(sessionId);
        this.#suspects.left(sessionId);
        if (!this.#isStopped) void this.#look();
      });
    this.#working.set(sessionId, working);
  }

  async #execute(sessionId: string): Promise<void> {
    const result = await this.#runs.resume(sessionId, this.#terms);
    if (result.outcome === 'completed' && result.unread !== undefined)
      await submitUnread(this.#store, sessionId, this.#log, result.runId);
  }

  #ended(sessionId: string): void {
    this.#passedOver.forget(sessionId);
    this.#forgiven.delete(sessionId);
  }

  /** Handles the error of a resume. Errors after the start of the run are in its record; others are handled here. */
  async #failed(sessionId: string, error: unknown): Promise<void> {
    const code = codeOf(error);
    if (isShallotError(error) && error.result !== undefined) {
      // A store that refuses for good, for a missing right for example, refuses again, and each attempt asks the model.
      const isRefused = isOfStore(code) && !error.transient;
      const isFirst = !isRefused || this.#passedOver.refused(sessionId);
      if (!isRefused) this.#ended(sessionId);
      // The store failed to keep what the attempt did, which is not the run's fault.
      if (isOfStore(code)) this.#forgiven.add(sessionId);
      if (isFirst && !this.#isStopped) this.#log.warn({ sessionId, code }, messageOf(error));
    } else if (passed.has(code)) {
      this.#passedOver.taken(sessionId);
      // The worker of its last run may have died before it submitted the messages that the run had left.
      if (code === 'SESSION_NOT_RESUMABLE' && (await submitUnread(this.#store, sessionId, this.#log)))
        this.#passedOver.forget(sessionId);
    } else if (forOthers.has(code)) {
      if (this.#passedOver.left(sessionId, this.#read.get(sessionId)?.revision))
        this.#log.info({ sessionId, code }, `Left to another worker: ${messageOf(error)}`);
    } else if (isOfStore(code)) {
      const isTransient = isShallotError(error) && error.transient;
      if (this.#passedOver.refused(sessionId, isTransient)) this.#warn(sessionId, error);
    } else {
      this.#warn(sessionId, error);
      await this.#park(sessionId, error);
    }
  }

  #warn(sessionId: string, error: unknown): void {
    const code = codeOf(error);
    this.#log.warn(
      { sessionId, code },
      `Session "${sessionId}" could not be resumed: ${messageOf(error)}${placeOf(error)}`,
    );
  }

  /** Records the failed attempt, and parks the run after too many. */
  async #park(sessionId: string, error: unknown): Promise<void> {
    const read = this.#read.get(sessionId);
    if (read === undefined) return;
    try {
      const { pauseMs } = this.#terms;
      await park(this.#store, sessionId, read, error, { pauseMs, redactor: this.#redactor });
    } catch (refusal) {
      const code = codeOf(refusal);
      if (code === 'STORE_CONFLICT') return this.#passedOver.taken(sessionId);
      this.#passedOver.refused(sessionId);
      this.#log.warn({ sessionId, code }, messageOf(refusal));
    }
  }

  /** Warns once of each session that waits long for another worker. */
  #reportLeft(): void {
    const left = new Set(this.#passedOver.leftFor(this.#options.warnAfterMs ?? 60_000));
    for (const sessionId of this.#reported) if (!left.has(sessionId)) this.#reported.delete(sessionId);
    for (const sessionId of left) {
      if (this.#reported.has(sessionId)) continue;
      this.#reported.add(sessionId);
      this.#log.warn(
        { sessionId, code: 'WORK_LEFT' },
        `Session "${sessionId}" waits for a worker that has its plugins and tools. Start one, or resume it with an agent that has them.`,
      );
    }
  }
}

function placeOf(error: unknown): string {
  return isShallotError(error) && error.at !== undefined ? ` (${formatLocation(error.at)})` : '';
}

function isOfStore(code: string): boolean {
  return code.startsWith('STORE_') && code !== 'STORE_CONFLICT';
}
