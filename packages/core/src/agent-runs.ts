import { ShallotError } from './base/errors.ts';
import { isPromise } from './base/is-promise.ts';
import { onAbort } from './base/on-abort.ts';
import type { AnySchema, SchemaOutput } from './base/schema.ts';
import type { Ticker } from './base/ticker.ts';
import { checkRunOptions } from './check-options.ts';
import type { RunOptions } from './contract/agent-options.ts';
import type { AgentEvent } from './contract/events.ts';
import type { Answers } from './contract/interrupt.ts';
import type { Input } from './contract/messages.ts';
import type { RunResult } from './contract/result.ts';
import type { ActiveRun } from './run/active-run.ts';
import type { AgentParts } from './run/agent-parts.ts';
import { beginRun, resumeRun, type WorkerTerms } from './run/begin-run.ts';
import type { Closing } from './run/closing.ts';
import { warnOfGonePlugins } from './run/gone-plugins.ts';
import { runLoop } from './run/loop.ts';
import { turns } from './run/parts/turns.ts';
import { waitKeeper } from './run/parts/wait-keeper.ts';
import { RunSeat } from './run/run-seat.ts';
import { surroundRun } from './run/surround-run.ts';
import { claimKeeper, type ClaimHolder } from './sessions/claim-keeper.ts';
import { deleteSession } from './sessions/delete-session.ts';
import { hotSessions } from './sessions/hot-sessions.ts';
import type { LiveSession } from './sessions/live-session.ts';
import { stopRun } from './workers/stop-run.ts';
import type { WorkOptions } from './workers/work-options.ts';
import { Worker, type Runs } from './workers/worker.ts';

/** The runs of an agent, one at a time in each session. */
export class AgentRuns {
  readonly #parts: AgentParts;
  /** By session: the runs that wait for their session, and those that have it. */
  readonly #seats = new Map<string, RunSeat>();
  /** Sessions of ended runs that the store has not settled. */
  readonly #behind = new Map<LiveSession, Promise<void>>();
  readonly #claims: Ticker<ClaimHolder>;
  readonly #waits = waitKeeper();
  /** Aborted when no run may begin any more; those in progress may still finish. */
  readonly #ending = new AbortController();

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#claims = claimKeeper(parts.claimMs);
  }

  /** Starts a run, or takes one up, and sees it to its end. */
  async run<Context, S extends AnySchema>(
    sessionId: string,
    options: RunOptions<Context, S>,
    listener: ((event: AgentEvent) => void | Promise<void>) | undefined,
    what: { readonly input: Input } | { readonly answers: Answers; readonly worker?: WorkerTerms },
  ): Promise<RunResult<SchemaOutput<S>>> {
    checkRunOptions(options);
    this.refuseClosed();
    const seat = this.#occupy(sessionId);
    const begin = (): ActiveRun | Promise<ActiveRun> =>
      'input' in what
        ? beginRun(this.#parts, sessionId, what.input, options, listener)
        : resumeRun(this.#parts, sessionId, what.answers, options, listener, what.worker);
    const turn = turns.begin();
    const { signal } = options;
    const forget = signal && onAbort(signal, (reason) => seat.abort(reason));
    this.#waits.add(seat);
    let beginning: ActiveRun | Promise<ActiveRun> | undefined;
    try {
      beginning = turn === undefined ? begin() : turn.then(begin);
      // Also without a wait: whoever has called can stop the run before its first step.
      const begun = await (isPromise(beginning) ? seat.wait(beginning) : beginning);
      const result = await this.#conduct(seat, begun);
      if (result.outcome === 'failed' || result.outcome === 'aborted') throw rejection(result);
      // The output was validated by the schema that it was asked for with.
      return result as RunResult<SchemaOutput<S>>;
    } finally {
      turns.end();
      this.#waits.drop(seat);
      forget?.();
      if (isPromise(beginning) && seat.isLeft) this.#leaveLater(seat, beginning);
      else this.#leave(seat);
    }
  }

  /** Lets the step end that a run is in, here or in another process. Whether the session has a run. */
  async stop(sessionId: string): Promise<boolean> {
    const seat = this.#seats.get(sessionId);
    if (seat === undefined) return stopRun(this.#parts.store, sessionId);
    seat.stopAfterStep();
    return true;
  }

  /** Takes runs that nobody works on, until the signal is aborted. */
  async work(options: WorkOptions): Promise<void> {
    this.refuseClosed();
    const runs: Runs = {
      resume: (sessionId, worker) => this.run(sessionId, {}, undefined, { answers: {}, worker }),
      handBack: (sessionId, isAtOnce) => this.#seats.get(sessionId)?.handBack(isAtOnce),
    };
    const ending = AbortSignal.any([
      this.#ending.signal,
      ...(options.signal === undefined ? [] : [options.signal]),
    ]);
    await new Worker(runs, this.#parts, { ...options, signal: ending }).work();
  }

  /** Deletes a session; no run begins in it meanwhile. @throws `SESSION_BUSY`, `STORE_CONFLICT` */
  async deleteSession(sessionId: string): Promise<boolean> {
    const seat = this.#occupy(sessionId);
    try {
      hotSessions.take(this.#parts.store, sessionId);
      return await deleteSession(this.#parts.store, sessionId);
    } finally {
      this.#leave(seat);
    }
  }

  /** Waits until all runs are over. None can begin any more. */
  async finish(): Promise<void> {
    this.#ending.abort();
    await Promise.all([...this.#seats.values()].map(({ over }) => over));
  }

  /** Aborts all runs, and waits until they are over, or their half of the time. None can begin any more. */
  async close(closing: Closing): Promise<void> {
    this.#ending.abort();
    const closed = this.#closedError();
    const seats = [...this.#seats.values()];
    for (const seat of seats) seat.abort(closed);
    const runs = seats.map((seat) => closing.wait(`the run of session "${seat.sessionId}"`, seat.over, 2));
    await Promise.all(runs);
    this.#claims.stop();
    this.#waits.stop();
  }

  /** Waits for the store, which may still be at work for runs that have ended. */
  async settle(closing: Closing): Promise<void> {
    const behind = [...this.#behind].map(([session, kept]) =>
      closing.wait(`the store with session "${session.id}"`, kept, 2),
    );
    await Promise.all(behind);
  }

  /** @throws `AGENT_CLOSED` */
  refuseClosed(): void {
    if (this.#ending.signal.aborted) throw this.#closedError(' Create a new one.');
  }

  #closedError(advice = ''): ShallotError {
    const message = `The agent ${this.#parts.name} was closed.${advice}`;
    return new ShallotError('AGENT_CLOSED', { message });
  }

  /** Takes a session for a run, or to delete it. */
  #occupy(sessionId: string): RunSeat {
    if (this.#seats.has(sessionId)) {
      throw new ShallotError('SESSION_BUSY', {
        message: `Session "${sessionId}" already has a run in progress. Await it, or use another session.`,
        transient: true,
      });
    }
    const seat = new RunSeat(sessionId, this.#parts.log);
    this.#seats.set(sessionId, seat);
    return seat;
  }

  #leave(seat: RunSeat): void {
    this.#seats.delete(seat.sessionId);
    seat.leave();
  }

  /** Nobody waits for the run any more: when the store gives its session after all, it is brought to its end. */
  #leaveLater(seat: RunSeat, beginning: Promise<ActiveRun>): void {
    const leave = (): void => this.#leave(seat);
    void beginning.then((run) => this.#conduct(seat, run)).then(leave, leave);
  }

  /** Sees a run that has its session to its end, inside what plugins put around it. */
  async #conduct(seat: RunSeat, run: ActiveRun): Promise<RunResult> {
    const { listener, session, chains } = run;
    const { surrounds } = chains;
    seat.take(run);
    this.#claims.add(run);
    try {
      void listener?.({ type: 'run-start', runId: run.id, sessionId: session.id, resumed: run.resumed });
      if (run.gonePlugins !== undefined) warnOfGonePlugins(run);
      const loop = (): Promise<RunResult> => runLoop(run);
      const result = await (surrounds.length === 0 ? loop() : surroundRun(run, surrounds, loop));
      void listener?.({ type: 'run-end', result });
      return result;
    } finally {
      this.#claims.drop(run);
      this.#leaveSession(session);
    }
  }

  /** Keeps the session for its next run; the store may still be at work for a run that was stopped, and is not to be closed then. */
  #leaveSession(session: LiveSession): void {
    const { behind } = session;
    if (behind === undefined) return hotSessions.keep(this.#parts.store, session);
    const over = (): void => void this.#behind.delete(session);
    this.#behind.set(session, behind.then(over, over));
  }
}

/** The error that a run is rejected with: that of its result, with the result. */
function rejection(result: RunResult): ShallotError {
  const { error } = result;
  // A failed or aborted run has an error.
  if (error === undefined) return new ShallotError('PLUGIN_FAILED', { message: 'The run failed.', result });
  const { code, message, cause, plugin, hook, at, transient, retryAt } = error;
  return new ShallotError(code, { message, cause, plugin, hook, at, transient, retryAt, result });
}
