import { setTimeout as sleep } from 'node:timers/promises';

import { isShallotError } from '../base/errors.ts';
import { onAbort } from '../base/on-abort.ts';
import { messageOf } from '../base/thrown.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { Store } from '../contract/store.ts';
import type { Logger } from '../log/logger.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { AgentParts } from '../run/agent-parts.ts';
import type { WorkerTerms } from '../run/begin-run.ts';
import { LivePublisher } from './live-publisher.ts';
import { park } from './park.ts';
import type { WorkOptions } from './work-options.ts';

/** The runs of the agent that works. */
export interface Runs {
  /** Resumes a run and sees it to its end. */
  resume(sessionId: string, worker: WorkerTerms): Promise<unknown>;
  /** Ends a run with its step, or at once, and leaves it for another process. */
  handBack(sessionId: string, isAtOnce: boolean): void;
}

type Listener = (event: AgentEvent) => void;

/** Somebody else has the session, or its run has ended meanwhile. */
const passed: ReadonlySet<string> = new Set([
  'STORE_CONFLICT',
  'SESSION_BUSY',
  'SESSION_NOT_FOUND',
  'SESSION_NOT_RESUMABLE',
  'AGENT_CLOSED',
]);

/** Another worker may be able to: this one lacks what the run needs. */
const forOthers: ReadonlySet<string> = new Set([
  'PLUGIN_GONE',
  'PLUGIN_INCOMPATIBLE',
  'TOOL_GONE',
  'STATE_VERSION',
  'STORE_FORMAT',
]);

/** Takes runs that nobody works on, and resumes them, so many at a time. */
export class Worker {
  readonly #runs: Runs;
  readonly #store: Store;
  readonly #log: Logger;
  readonly #redactor: Redactor;
  readonly #options: WorkOptions;
  readonly #concurrency: number;
  readonly #terms: WorkerTerms;
  readonly #working = new Map<string, Promise<void>>();
  /** What is left to other workers: since when, and whether that was said. */
  readonly #left = new Map<string, { readonly since: number; isSaid: boolean }>();
  readonly #stopped = Promise.withResolvers<void>();
  #isStopped = false;
  #looking: Promise<void> | undefined;
  #looksAgain = false;

  constructor(
    runs: Runs,
    { store, log, redactor }: Pick<AgentParts, 'store' | 'log' | 'redactor'>,
    options: WorkOptions,
  ) {
    this.#runs = runs;
    this.#store = store;
    this.#log = log;
    this.#redactor = redactor;
    this.#options = options;
    this.#concurrency = options.concurrency ?? 8;
    this.#terms = {
      pauseMs: options.retryPauseMs ?? 5000,
      contextOf: (sessionId, metadata) => options.context?.(sessionId, metadata),
      listenerOf: (sessionId, submitted) => this.#listenerOf(sessionId, submitted?.stream === true),
    };
  }

  /** Works until the signal is aborted and nothing is in progress. */
  async work(): Promise<void> {
    const { signal, queue, intervalMs = 5000 } = this.#options;
    const leave = await queue?.listen((sessionId) => this.#woken(sessionId));
    const forget = onAbort(signal, () => this.#stopped.resolve());
    const timer = setInterval(() => void this.#look(), intervalMs);
    void this.#look();
    await this.#stopped.promise;
    forget();
    clearInterval(timer);
    this.#isStopped = true;
    // The queue may wait for the runs that it brought: they are handed back meanwhile.
    await Promise.all([leave?.(), this.#stop()]);
  }

  /** Lets each run end with its step, and those that take longer at once. */
  async #stop(): Promise<void> {
    const { stopTimeoutMs = 30_000 } = this.#options;
    for (const sessionId of this.#working.keys()) this.#runs.handBack(sessionId, false);
    const late = setTimeout(() => {
      for (const sessionId of this.#working.keys()) this.#runs.handBack(sessionId, true);
    }, stopTimeoutMs);
    // A look takes nothing any more.
    await Promise.all([this.#looking, ...this.#working.values()]);
    clearTimeout(late);
  }

  get #hasRoom(): boolean {
    return !this.#isStopped && this.#working.size < this.#concurrency;
  }

  /** Looks for work in the store. One look at a time; a wish for another one is kept. */
  #look(): Promise<void> {
    this.#looksAgain = this.#looking !== undefined;
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
      if (this.#looksAgain) void this.#look();
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    if (!this.#hasRoom) return;
    const seen = new Set<string>();
    try {
      for await (const { id, damaged } of this.#store.list({ resumable: true })) {
        if (!this.#hasRoom) return;
        seen.add(id);
        if (damaged !== true && !this.#isLeft(id)) this.#take(id);
      }
      for (const id of this.#left.keys()) if (!seen.has(id)) this.#left.delete(id);
    } catch (error) {
      this.#log.warn({ code: codeOf(error) }, `The worker could not look for work: ${messageOf(error)}`);
    }
  }

  /** Takes the session that the queue names. When it should come again, if it should. */
  async #woken(sessionId: string): Promise<number | undefined> {
    // What is sent back at once comes again at once. Room that there is meanwhile is used by a look.
    if (!this.#hasRoom) await Promise.race([this.#stopped.promise, sleep(1000, undefined, { ref: false })]);
    if (!this.#hasRoom) return Date.now();
    this.#take(sessionId);
    await this.#working.get(sessionId);
    const record = await this.#store.load(sessionId);
    return record?.claim?.expiresAt;
  }

  #take(sessionId: string): void {
    if (this.#working.has(sessionId)) return;
    const working = this.#runs
      .resume(sessionId, this.#terms)
      .then(() => void this.#left.delete(sessionId))
      .catch((error: unknown) => this.#failed(sessionId, error))
      .finally(() => {
        this.#working.delete(sessionId);
        if (!this.#isStopped) void this.#look();
      });
    this.#working.set(sessionId, working);
  }

  /** What a listener throws is its own affair. */
  #listenerOf(sessionId: string, isStreamed: boolean): Listener | undefined {
    const { onEvent } = this.#options;
    const live =
      isStreamed && this.#store.publish !== undefined
        ? new LivePublisher(this.#store, sessionId, this.#log)
        : undefined;
    if (onEvent === undefined) return live?.take;
    return (event) => {
      live?.take(event);
      try {
        onEvent(sessionId, event);
      } catch (error) {
        this.#log.warn({ sessionId }, `onEvent of the worker threw: ${messageOf(error)}`);
      }
    };
  }

  /** A run that has begun has its failure in its record; what kept one from beginning is dealt with here. */
  async #failed(sessionId: string, error: unknown): Promise<void> {
    const code = codeOf(error);
    if (isShallotError(error) && error.result !== undefined) {
      if (!this.#isStopped) this.#log.warn({ sessionId, code }, messageOf(error));
    } else if (forOthers.has(code)) {
      this.#leave(sessionId, error);
    } else if (!passed.has(code)) {
      this.#log.warn({ sessionId, code }, `Session "${sessionId}" could not be resumed: ${messageOf(error)}`);
      await this.#park(sessionId, error);
    }
  }

  /** Parks the run if it was tried often enough; a store that fails says nothing of the run. */
  async #park(sessionId: string, error: unknown): Promise<void> {
    if (codeOf(error).startsWith('STORE_')) return;
    try {
      const { pauseMs } = this.#terms;
      await park(this.#store, sessionId, error, { pauseMs, redactor: this.#redactor });
    } catch (refusal) {
      this.#log.warn({ sessionId, code: codeOf(refusal) }, messageOf(refusal));
    }
  }

  #leave(sessionId: string, error: unknown): void {
    if (this.#left.has(sessionId)) return;
    this.#left.set(sessionId, { since: Date.now(), isSaid: false });
    this.#log.info({ sessionId, code: codeOf(error) }, `Left to another worker: ${messageOf(error)}`);
  }

  /** Whether a session is left to others, which is said once it has waited. It is tried again when it has been away. */
  #isLeft(sessionId: string): boolean {
    const left = this.#left.get(sessionId);
    if (left === undefined) return false;
    if (left.isSaid || Date.now() - left.since < (this.#options.warnAfterMs ?? 60_000)) return true;
    left.isSaid = true;
    this.#log.warn(
      { sessionId, code: 'WORK_LEFT' },
      `Session "${sessionId}" waits for a worker that has its plugins and tools. Start one, or resume it with an agent that has them.`,
    );
    return true;
  }
}

function codeOf(error: unknown): string {
  return isShallotError(error) ? error.code : '';
}
