import type { SessionView, CloseOptions, Agent } from './agent.ts';
import { attempt } from './base/attempt.ts';
import { ShallotError } from './base/errors.ts';
import type { HookName } from './base/hook-names.ts';
import { randomId } from './base/random-id.ts';
import { refuseNode } from './base/refuse-node.ts';
import type { Schema, SchemaOutput } from './base/schema.ts';
import type { Ticker } from './base/ticker.ts';
import { checkRunOptions, partsOf, type OwnParts } from './check-options.ts';
import type { AgentOptions, ResumeOptions, RunOptions } from './contract/agent-options.ts';
import type { AgentEvent } from './contract/events.ts';
import type { TapInfo } from './contract/hooks.ts';
import type { Answers } from './contract/interrupt.ts';
import type { Input } from './contract/messages.ts';
import type { ChatModel } from './contract/model.ts';
import type { Plugin, PluginEntry, PluginInfo, PluginPlacement, ReadyAgent } from './contract/plugin.ts';
import type { RunResult } from './contract/result.ts';
import type { Tool } from './contract/tool.ts';
import { noUsage, sumUsage } from './contract/usage.ts';
import type { Redactor } from './redact/redactor.ts';
import type { ActiveRun } from './run/active-run.ts';
import { beginRun, resumeRun } from './run/begin-run.ts';
import { Closing } from './run/closing.ts';
import { conductRun } from './run/conduct-run.ts';
import { EventStream, type RunStream } from './run/event-stream.ts';
import { RunStart } from './run/run-start.ts';
import { WaitKeeper } from './run/wait-keeper.ts';
import { claimKeeper, type ClaimHolder } from './sessions/claim-keeper.ts';
import { openInterrupts } from './sessions/interrupts.ts';
import type { LiveSession } from './sessions/live-session.ts';
import { loadRecord } from './sessions/load-record.ts';
import { isResumable } from './sessions/resumable.ts';

/** Sets up an agent and starts its plugins. After a failure nothing is left running. */
export async function createAgent<Context = unknown>(
  options: AgentOptions<Context>,
): Promise<Agent<Context>> {
  return startAgent(options, []);
}

/** `hidden` are tools of the agent's own that only layers offer. */
async function startAgent<Context>(
  options: AgentOptions<Context>,
  hidden: readonly Tool[],
): Promise<Agent<Context>> {
  checkNode();
  const parts = partsOf(options as AgentOptions);
  parts.tools.add(options.tools ?? []);
  parts.tools.add(hidden, { offered: false });
  await parts.host.add(options.plugins ?? [], () => readyAgent(parts));
  return new LiveAgent<Context>(parts, options);
}

function readyAgent({ model, tools }: OwnParts): ReadyAgent {
  return { model, tools: tools.all.map(({ tool }) => tool) };
}

/** On an older Node the first run would fail with the name of something that it lacks. */
function checkNode(): void {
  // Elsewhere than in Node and what is like it, nobody says a version.
  const version = globalThis.process?.versions?.node;
  const refusal = version === undefined ? undefined : refuseNode('@shallot/core', version);
  if (refusal !== undefined) throw new ShallotError('NODE_UNSUPPORTED', { message: refusal });
}

class LiveAgent<Context> implements Agent<Context> {
  readonly tools: Agent['tools'];
  readonly #parts: OwnParts;
  readonly #options: AgentOptions<Context>;
  /** By session: settles when its run is over, or has not come about. */
  readonly #busy = new Map<string, Promise<void>>();
  /** The runs that wait for their session, and those that have it. */
  readonly #starting = new Set<RunStart>();
  readonly #running = new Set<ActiveRun>();
  /** Sessions of ended runs that the store has not settled. */
  readonly #behind = new Map<LiveSession, Promise<void>>();
  /** The sessions whose runs are to end with their step. */
  readonly #stopping = new Set<string>();
  readonly #claims: Ticker<ClaimHolder>;
  readonly #waits = new WaitKeeper();
  #closing: Promise<void> | undefined;

  constructor(parts: OwnParts, options: AgentOptions<Context>) {
    this.#parts = parts;
    this.#options = options;
    this.#claims = claimKeeper(parts.claimMs);
    this.tools = Object.freeze({
      add: (tool, adding) => {
        this.#refuseClosed();
        return parts.tools.add(tool, adding);
      },
      list: () => [...parts.tools.list],
    } satisfies Agent['tools']);
  }

  get name(): string {
    return this.#parts.name;
  }

  get model(): ChatModel {
    return this.#parts.model;
  }

  get redactor(): Redactor {
    return this.#parts.redactor;
  }

  get plugins(): readonly PluginInfo[] {
    return this.#parts.host.list;
  }

  get warnings(): readonly ShallotError[] {
    return [...this.#parts.host.warnings];
  }

  run<S extends Schema>(
    input: Input,
    options: RunOptions<Context, S> = {},
  ): Promise<RunResult<SchemaOutput<S>>> {
    return this.#begin(options.sessionId ?? newSession(), options, undefined, { input });
  }

  stream<S extends Schema>(input: Input, options: RunOptions<Context, S> = {}): RunStream<SchemaOutput<S>> {
    return this.#stream(options, (listening, listener) =>
      this.#begin(options.sessionId ?? newSession(), listening, listener, { input }),
    );
  }

  resume<S extends Schema>(
    sessionId: string,
    answers: Answers = {},
    options: ResumeOptions<Context, S> = {},
  ): Promise<RunResult<SchemaOutput<S>>> {
    return this.#begin(sessionId, options, undefined, { answers });
  }

  streamResume<S extends Schema>(
    sessionId: string,
    answers: Answers = {},
    options: ResumeOptions<Context, S> = {},
  ): RunStream<SchemaOutput<S>> {
    return this.#stream(options, (listening, listener) =>
      this.#begin(sessionId, listening, listener, { answers }),
    );
  }

  stop(sessionId: string): boolean {
    if (!this.#busy.has(sessionId)) return false;
    // A run that has not got its session yet finds it here.
    this.#stopping.add(sessionId);
    for (const run of this.#running) if (run.session.id === sessionId) run.stopping = true;
    return true;
  }

  async use(plugin: Plugin, placement: Omit<PluginPlacement, 'use'> = {}): Promise<void> {
    this.#refuseClosed();
    const entry: PluginEntry = { ...placement, use: plugin };
    await this.#parts.host.add([entry], () => readyAgent(this.#parts));
  }

  async remove(id: string): Promise<boolean> {
    return this.#parts.host.remove(id);
  }

  async fork(changes: Partial<AgentOptions<Context>> = {}): Promise<Agent<Context>> {
    this.#refuseClosed();
    // What was made for this agent alone stays with it.
    const { onClose: _, ...options } = this.#options;
    const own = this.#parts.tools.all.filter(({ owner }) => owner === undefined);
    const toolsThat = (offered: boolean): Tool[] =>
      own.filter((each) => each.offered === offered).map(({ tool }) => tool);
    const start: AgentOptions<Context> = {
      ...options,
      store: this.#parts.store,
      tools: toolsThat(true),
      plugins: this.#parts.host.entries,
      ...changes,
    };
    return startAgent(start, changes.tools === undefined ? toolsThat(false) : []);
  }

  layers(): Readonly<Record<HookName, readonly TapInfo[]>> {
    return this.#parts.host.chains.layers;
  }

  async session(sessionId: string): Promise<SessionView | undefined> {
    const record = await loadRecord(this.#parts.store, sessionId);
    if (record === undefined) return undefined;
    const { run } = record;
    return {
      id: sessionId,
      messages: record.messages,
      interrupts: openInterrupts(run),
      state: record.state,
      usage: run === undefined ? noUsage : sumUsage(run.usageBefore, run.usage),
      status: run?.status,
      resumable: run !== undefined && isResumable(run),
    };
  }

  close({ timeoutMs = this.#parts.closeTimeoutMs }: CloseOptions = {}): Promise<void> {
    if (this.#closing !== undefined) return this.#closing;
    const { promise, resolve } = Promise.withResolvers<void>();
    // An abort is heard at once, and what hears it must find the agent closed.
    this.#closing = promise;
    resolve(this.#close(timeoutMs));
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(timeoutMs: number): Promise<void> {
    const closing = new Closing(timeoutMs);
    const closed = this.#closedError();
    for (const run of this.#running) run.abort(closed);
    for (const start of this.#starting) start.giveUp(closed);
    // Runs get half of the time, all of them at once.
    const runs = [...this.#busy].map(([sessionId, over]) =>
      closing.wait(`the run of session "${sessionId}"`, over, 2),
    );
    await Promise.all(runs);
    this.#claims.stop();
    this.#waits.stop();
    this.#parts.silence.stop();
    const errors: unknown[] = [...(await this.#parts.host.close(closing))];
    const behind = [...this.#behind].map(([session, kept]) =>
      closing.wait(`the store with session "${session.id}"`, kept, 2),
    );
    await Promise.all(behind);
    const { onClose } = this.#options;
    if (onClose !== undefined) {
      const last = attempt(async () => onClose());
      await closing.wait(
        'onClose',
        last.then((failure) => failure !== undefined && errors.push(failure.error)),
        1,
      );
    }
    await closing.end(this.name, errors);
  }

  /** The store may still be at work for a run that was stopped, and is not to be closed then. */
  #noteBehind(session: LiveSession): void {
    const { behind } = session;
    if (behind === undefined) return;
    const over = (): void => void this.#behind.delete(session);
    this.#behind.set(session, behind.then(over, over));
  }

  #closedError(): ShallotError {
    return new ShallotError('AGENT_CLOSED', { message: `The agent ${this.name} was closed.` });
  }

  #refuseClosed(): void {
    if (this.#closing === undefined) return;
    throw new ShallotError('AGENT_CLOSED', {
      message: `The agent ${this.name} was closed. Create another one.`,
    });
  }

  #stream<S extends Schema>(
    options: ResumeOptions<Context, S>,
    begin: (
      options: ResumeOptions<Context, S>,
      listener: (event: AgentEvent) => void | Promise<void>,
    ) => Promise<RunResult<SchemaOutput<S>>>,
  ): RunStream<SchemaOutput<S>> {
    const left = new AbortController();
    const { signal } = options;
    const forward = (): void => left.abort(signal?.reason);
    if (signal?.aborted === true) forward();
    signal?.addEventListener('abort', forward, { once: true });
    return new EventStream(
      (listener) =>
        begin({ ...options, signal: left.signal }, listener).finally(() =>
          signal?.removeEventListener('abort', forward),
        ),
      (reason) => left.abort(reason),
    );
  }

  /** Starts a run, or takes one up, and sees it to its end. */
  async #begin<S extends Schema>(
    sessionId: string,
    options: RunOptions<Context, S>,
    listener: ((event: AgentEvent) => void | Promise<void>) | undefined,
    what: { readonly input: Input } | { readonly answers: Answers },
  ): Promise<RunResult<SchemaOutput<S>>> {
    checkRunOptions(options);
    this.#refuseClosed();
    if (this.#busy.has(sessionId)) {
      throw new ShallotError('SESSION_BUSY', {
        message: `Session "${sessionId}" has a run in flight. Await it, or use another session.`,
        transient: true,
      });
    }
    const over = Promise.withResolvers<void>();
    this.#busy.set(sessionId, over.promise);
    const leave = (): void => {
      this.#busy.delete(sessionId);
      this.#stopping.delete(sessionId);
      over.resolve();
    };
    const beginning =
      'input' in what
        ? beginRun(this.#parts, sessionId, what.input, options, listener)
        : resumeRun(this.#parts, sessionId, what.answers, options, listener);
    const start = new RunStart(sessionId, this.#parts.log);
    try {
      const result = await this.#conduct(await this.#begun(start, beginning, options.signal), options.signal);
      if (result.outcome === 'failed' || result.outcome === 'aborted') throw rejection(result);
      // The output was validated by the schema that it was asked for with.
      return result as RunResult<SchemaOutput<S>>;
    } finally {
      if (start.isLeft) void beginning.then((run) => this.#conduct(run, options.signal)).then(leave, leave);
      else leave();
    }
  }

  async #begun(
    start: RunStart,
    beginning: Promise<ActiveRun>,
    signal: AbortSignal | undefined,
  ): Promise<ActiveRun> {
    const giveUp = (): void => start.giveUp(signal?.reason);
    if (signal?.aborted === true) giveUp();
    else signal?.addEventListener('abort', giveUp, { once: true });
    this.#starting.add(start);
    this.#waits.add(start);
    try {
      return await start.wait(beginning);
    } finally {
      this.#starting.delete(start);
      this.#waits.drop(start);
      signal?.removeEventListener('abort', giveUp);
    }
  }

  async #conduct(run: ActiveRun, signal: AbortSignal | undefined): Promise<RunResult> {
    const abort = (): void => run.abort(signal?.reason);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    // It had no session yet when the others were aborted.
    if (this.#closing !== undefined) run.abort(this.#closedError());
    run.stopping = this.#stopping.has(run.session.id);
    this.#claims.add(run);
    this.#waits.add(run);
    this.#running.add(run);
    try {
      return await conductRun(run);
    } finally {
      this.#running.delete(run);
      this.#claims.drop(run);
      this.#waits.drop(run);
      signal?.removeEventListener('abort', abort);
      this.#noteBehind(run.session);
    }
  }
}

function newSession(): string {
  return randomId('session');
}

/** The error that a run is rejected with: that of its result, with the result. */
function rejection(result: RunResult): ShallotError {
  const { error } = result;
  // A failed or aborted run has an error.
  if (error === undefined) return new ShallotError('PLUGIN_FAILED', { message: 'The run failed.', result });
  const { code, message, cause, plugin, hook, at, transient, retryAt } = error;
  return new ShallotError(code, {
    message,
    cause,
    transient,
    result,
    ...(plugin === undefined ? {} : { plugin }),
    ...(hook === undefined ? {} : { hook }),
    ...(at === undefined ? {} : { at }),
    ...(retryAt === undefined ? {} : { retryAt }),
  });
}
