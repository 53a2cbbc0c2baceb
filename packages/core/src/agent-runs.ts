import type { AgentDeleteOptions } from './agent.ts';
import { atCaller, type Entry } from './base/at-caller.ts';
import { ShallotError } from './base/errors.ts';
import { randomId } from './base/node-crypto.ts';
import { onAbort } from './base/on-abort.ts';
import type { AnySchema, SchemaOutput } from './base/schema.ts';
import { asThrown } from './base/thrown.ts';
import { checkRunOptions, noOptions } from './check-options.ts';
import type { ResumeOptions, RunOptions } from './contract/agent-options.ts';
import type { Answers } from './contract/interrupt.ts';
import type { Input, MessageInput } from './contract/messages.ts';
import type { RunResult } from './contract/result.ts';
import { watchRun } from './files/protection/watch-loaded.ts';
import { ActiveRun } from './run/active-run.ts';
import { deletionPartsOf, type AgentParts } from './run/agent-parts.ts';
import { beginRun } from './run/begin-run.ts';
import type { ChildEnd, ChildRuns, ChildTerms } from './run/child-terms.ts';
import type { Listener } from './run/event-stream.ts';
import { warnOfGonePlugins } from './run/gone-plugins.ts';
import { passNewInput } from './run/input/pass-input.ts';
import { runLoop } from './run/loop.ts';
import type { Closing } from './run/parts/closing.ts';
import { ticks } from './run/parts/ticks.ts';
import { waitReporter } from './run/parts/wait-reporter.ts';
import { beginChild, storeChild } from './run/resume/begin-child.ts';
import { resumeRun, type WorkerTerms } from './run/resume/resume-run.ts';
import { RunSeat } from './run/run-seat.ts';
import { surroundRun } from './run/surround-run.ts';
import { deleteWith, type Deletion } from './sessions/deletion/delete-session.ts';
import { claimKeeper, hear } from './sessions/live/claim-keeper.ts';
import type { LiveSession } from './sessions/live/live-session.ts';
import { sharedSessions } from './sessions/live/session-cache.ts';
import type { ForOwner } from './sessions/stores/for-owner.ts';
import { requireName } from './workers/require-name.ts';
import { sendMessage, type SendOptions } from './workers/send-message.ts';
import { refuseOthers, stopRun } from './workers/stop-run.ts';
import { checkSubmitOptions, commitInput, type AgentSubmitOptions } from './workers/submit-run.ts';
import type { WorkOptions } from './workers/work-options.ts';
import { Worker, type Runs } from './workers/worker.ts';

/** The runs of an agent, at most one per session. */
export class AgentRuns implements ChildRuns {
  readonly #parts: AgentParts;
  /** The seats of all runs, including those that wait for their session, by session. */
  readonly #seats = new Map<string, RunSeat>();
  /** Sessions of ended runs for which commits are still pending. */
  readonly #behind = new Map<LiveSession, Promise<void>>();
  readonly #claims: ReturnType<typeof claimKeeper>;
  readonly #waitReporter = waitReporter();
  /** Aborted once no run may begin; runs in progress may continue. */
  readonly #ending = new AbortController();

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#claims = claimKeeper(parts.claimMs);
  }

  /** Starts or resumes a run, and executes it to its end. */
  run<Context, S extends AnySchema>(
    sessionId: string,
    options: RunOptions<Context, S> & ResumeOptions<Context, S>,
    listener: Listener | undefined,
    what: { readonly entry?: () => Entry } & (
      | { readonly input: Input }
      | { readonly answers: Answers; readonly worker?: WorkerTerms }
    ),
  ): Promise<RunResult<SchemaOutput<S>>> {
    try {
      if (options !== noOptions) atCaller(what.entry?.(), () => checkRunOptions(options));
      if (this.#ending.signal.aborted) throw this.#closedError();
      const caller = { listener, seat: this.#occupy(sessionId, listener), children: this };
      const executed = this.#execute(caller.seat, options.signal, () =>
        'input' in what
          ? beginRun(this.#parts, sessionId, what.input, options, caller)
          : resumeRun(this.#parts, sessionId, what.answers, options, caller, what.worker),
      );
      // The output was validated by the schema in `options`.
      return executed as Promise<RunResult<SchemaOutput<S>>>;
    } catch (error) {
      return Promise.reject(asThrown(error));
    }
  }

  /** Executes a child of a run of this agent, also while the agent lets its last runs finish. */
  async runChild(child: ChildTerms): Promise<ChildEnd> {
    const { id: sessionId } = child.session;
    const { parent } = child;
    const { frame, listener } = child.caller;
    // An earlier attempt that its call has abandoned may still hold the seat; it is about to end.
    for (let seat = this.#seats.get(sessionId); seat?.isAborted === true; seat = this.#seats.get(sessionId))
      await seat.over;
    const seat = this.#occupy(sessionId, listener);
    const caller = { listener, seat, children: this, parent };
    frame.onClose((reason) => seat.abort(reason));
    try {
      const end = await this.#execute(seat, undefined, () => beginChild(child, caller));
      return 'outcome' in end ? { result: end } : end;
    } finally {
      frame.settle();
    }
  }

  /** Stores the session of a child of a run of this agent, which `runChild` then executes. */
  async storeChild(child: ChildTerms): Promise<void> {
    const { parent, session } = child;
    const seat = this.#occupy(session.id);
    try {
      await storeChild(child, { listener: undefined, seat, children: this, parent });
    } finally {
      this.#leave(seat);
    }
  }

  /**
   * Executes a run that `begin` returns, to its end; returns any other value as it is. @throws the error of a run that
   * failed or was aborted
   */
  async #execute<T extends object = never>(
    seat: RunSeat,
    signal: AbortSignal | undefined,
    begin: () => ActiveRun | T | Promise<ActiveRun | T>,
  ): Promise<RunResult | T> {
    const tick = ticks.begin();
    const forget = signal && onAbort(signal, (reason) => seat.abort(reason));
    this.#waitReporter.add(seat);
    let beginning: ActiveRun | T | Promise<ActiveRun | T> | undefined;
    try {
      beginning = tick === undefined ? begin() : tick.then(begin);
      // Waits even for a value that is not a promise, so that the caller can stop the run before its first step.
      const begun = await (beginning instanceof Promise ? seat.wait(beginning) : beginning);
      if (!(begun instanceof ActiveRun)) return begun;
      const result = await this.#conduct(seat, begun);
      if (result.outcome === 'failed' || result.outcome === 'aborted') throw rejection(result);
      return result;
    } finally {
      ticks.end();
      this.#waitReporter.drop(seat);
      forget?.();
      if (beginning instanceof Promise && seat.isLeft) this.#leaveLater(seat, beginning);
      else this.#leave(seat);
    }
  }

  /** Submits a run for workers, with its input after the taps on the input. Returns the run's id. */
  async submit(
    sessionId: string,
    input: Input,
    { context, signal, ...options }: Omit<AgentSubmitOptions, 'sessionId'>,
  ): Promise<string> {
    checkSubmitOptions({ ...options, sessionId });
    this.refuseClosed();
    const { identity, store } = this.#parts;
    requireName(store, identity?.id, 'agent.submit', 'Give the agent a `name`.');
    const ending =
      signal === undefined ? this.#ending.signal : AbortSignal.any([this.#ending.signal, signal]);
    ending.throwIfAborted();
    const id = randomId('run');
    const passed = await passNewInput(this.#parts, id, input, { context, sessionId, signal: ending });
    return commitInput(store, sessionId, { ...passed, id, agent: identity?.id, isPrepared: true }, options);
  }

  /**
   * Ends a session's run after its current step, in this or another process. Returns false if there is no run to stop.
   * @throws `SESSION_OF_ANOTHER`, and the errors of `stopRun`
   */
  async stop(sessionId: string, { owner }: ForOwner): Promise<boolean> {
    const { store } = this.#parts;
    if (owner !== undefined) await refuseOthers(store, sessionId, owner);
    const seat = this.#seats.get(sessionId);
    if (seat === undefined) return stopRun(store, sessionId);
    seat.stopAfterStep();
    return true;
  }

  /** Sends a message to a session's run, once it has begun. @throws like `sendMessage` */
  async send(sessionId: string, message: string | MessageInput, options: SendOptions): Promise<string> {
    await this.#seats.get(sessionId)?.begun;
    return sendMessage(this.#parts.store, sessionId, message, options);
  }

  /** Resumes runs that no process works on, until the signal is aborted. */
  async work(options: WorkOptions): Promise<void> {
    this.refuseClosed();
    const { identity, store } = this.#parts;
    requireName(store, identity?.id, 'agent.work', 'Give the agent a `name`.');
    const runs: Runs = {
      resume: (sessionId, worker) => this.run(sessionId, {}, undefined, { answers: {}, worker }),
      handBack: (sessionId, isAtOnce) => this.#seats.get(sessionId)?.handBack(isAtOnce),
      delete: (sessionId, ifRevision, context) => this.deleteSession(sessionId, { ifRevision, context }),
    };
    const ending = AbortSignal.any([
      this.#ending.signal,
      ...(options.signal === undefined ? [] : [options.signal]),
    ]);
    await new Worker(runs, this.#parts, { ...options, signal: ending }).work();
  }

  /**
   * Deletes a session; no run of this agent can begin in it meanwhile. @throws `SESSION_BUSY`, and the errors of
   * `deleteWith`
   */
  async deleteSession(
    sessionId: string,
    { context, ifRevision, owner }: AgentDeleteOptions<unknown>,
  ): Promise<Deletion | undefined> {
    const seat = this.#occupy(sessionId);
    const { store, host, log, name, sessionCache } = this.#parts;
    try {
      sessionCache.take(store, sessionId);
      const identity = { id: randomId('deletion'), sessionId, agent: name, context };
      const deletion = await deleteWith(store, sessionId, {
        ifRevision,
        owner,
        deletionParts: () => deletionPartsOf(this.#parts, identity),
        alwaysNotifies: host.handlesDeletions,
      });
      for (const err of deletion?.errors ?? [])
        log.warn({ err, sessionId, plugin: err.plugin }, 'a part of a deleted session stays');
      return deletion;
    } finally {
      this.#leave(seat);
    }
  }

  /** Waits until all runs are over. No new run can begin. */
  async finish(): Promise<void> {
    this.#ending.abort();
    await Promise.all([...this.#seats.values()].map(({ over }) => over));
  }

  /** Aborts all runs, and waits until they are over or their share of the time limit ends. No new run can begin. */
  async close(closing: Closing): Promise<void> {
    this.#ending.abort();
    const closed = this.#closedError('');
    const seats = [...this.#seats.values()];
    for (const seat of seats) seat.abort(closed);
    const runs = seats.map((seat) => closing.wait(`the run of session "${seat.sessionId}"`, seat.over, 2));
    await Promise.all(runs);
    this.#claims.stop();
    this.#waitReporter.stop();
  }

  /** Waits for pending commits of ended runs, and clears the agent's own cache. */
  async settle(closing: Closing): Promise<void> {
    const behind = [...this.#behind].map(([session, kept]) =>
      closing.wait(`the store with session "${session.id}"`, kept, 2),
    );
    await Promise.all(behind);
    const { sessionCache } = this.#parts;
    if (sessionCache !== sharedSessions) sessionCache.clear();
  }

  /** @throws `AGENT_CLOSED` */
  refuseClosed(): void {
    if (this.#ending.signal.aborted) throw this.#closedError();
  }

  #closedError(advice = ' Create a new one.'): ShallotError {
    const message = `The agent ${this.#parts.name} was closed.${advice}`;
    return new ShallotError('AGENT_CLOSED', { message });
  }

  /** Reserves a session for a run or a deletion. @throws `SESSION_BUSY` */
  #occupy(sessionId: string, listener?: Listener): RunSeat {
    if (this.#seats.has(sessionId)) throw sessionBusy(sessionId);
    const seat = new RunSeat(sessionId, this.#parts.log, listener);
    this.#seats.set(sessionId, seat);
    return seat;
  }

  #leave(seat: RunSeat): void {
    this.#seats.delete(seat.sessionId);
    seat.leave();
  }

  /** Ends a run whose caller stopped waiting: once the session is loaded, the run is executed to its aborted end. */
  #leaveLater(seat: RunSeat, beginning: Promise<ActiveRun | object>): void {
    const leave = (): void => this.#leave(seat);
    const conduct = (begun: object): unknown => begun instanceof ActiveRun && this.#conduct(seat, begun);
    void beginning.then(conduct).then(leave, leave);
  }

  /** Executes a run to its end, inside the `aroundRun` functions of plugins. The run has its session already. */
  async #conduct(seat: RunSeat, run: ActiveRun): Promise<RunResult> {
    const { signs, record } = run;
    const { gonePlugins, isResumed: resumed, session } = record;
    const { surrounds } = run.terms.chains;
    seat.take(run);
    this.#claims.add(seat);
    const unwatch = this.#parts.store.watchInbox?.(session.id, (news) => hear(seat, news));
    const endWatch = watchRun(this.#parts.store);
    try {
      void signs.listener?.({ type: 'run-start', runId: run.terms.id, sessionId: session.id, resumed });
      if (gonePlugins !== undefined) warnOfGonePlugins(gonePlugins, signs, session.id);
      const result = await (surrounds.length === 0 ? runLoop(run) : surroundRun(run, surrounds));
      void signs.listener?.({ type: 'run-end', result });
      return result;
    } finally {
      endWatch?.();
      unwatch?.();
      this.#claims.drop(seat);
      this.#leaveSession(session);
    }
  }

  /**
   * Caches the session for its next run. If commits of a stopped run are still pending, notes the session instead: the
   * store must not be closed before they settle.
   */
  #leaveSession(session: LiveSession): void {
    const { behind } = session;
    const { store, sessionCache } = this.#parts;
    if (behind === undefined) return sessionCache.keep(store, session);
    const over = (): void => void this.#behind.delete(session);
    this.#behind.set(session, behind.then(over, over));
  }
}

/** Returns the error that `run` rejects with: the result's error, with the result. */
function rejection(result: RunResult): ShallotError {
  const { error } = result;
  // Failed and aborted runs have an error.
  if (error === undefined) return new ShallotError('PLUGIN_FAILED', { message: 'The run failed.', result });
  const { code, message, cause, plugin, hook, at, transient, retryAt, address, errors } = error;
  const rest = { plugin, hook, at, transient, retryAt, address, errors };
  return new ShallotError(code, { message, cause, result, ...rest });
}

function sessionBusy(sessionId: string): ShallotError {
  return new ShallotError('SESSION_BUSY', {
    message: `Session "${sessionId}" already has a run in progress. Await it, or use another session.`,
    transient: true,
  });
}
