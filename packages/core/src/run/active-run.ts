import { isShallotError, ShallotError } from '../base/errors.ts';
import { freezeJson, type JsonObject } from '../base/json.ts';
import type { Validate } from '../base/schema.ts';
import { messageOf } from '../base/thrown.ts';
import type { Wait } from '../base/wait.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { Answers } from '../contract/interrupt.ts';
import { isList, toMessages, type Input, type Message, type MessageInput } from '../contract/messages.ts';
import type { ModelSettings, OutputSchema, ToolChoice } from '../contract/model.ts';
import type { RunFailure, RunRecord, StateEntry } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import type { Chains } from '../hooks/chains.ts';
import type { Owner } from '../hooks/owner.ts';
import { Waits } from '../hooks/waits.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import { completeInput } from '../sessions/messages/complete-input.ts';
import { Questions } from '../sessions/questions.ts';
import type { AgentParts } from './agent-parts.ts';
import { gonePlugins } from './gone-plugins.ts';
import { nextAttempt, type Attempts } from './parts/attempts.ts';
import { Blames } from './parts/blames.ts';
import { CurrentHook } from './parts/current-hook.ts';
import { Lifeline } from './parts/lifeline.ts';
import { Progress } from './parts/progress.ts';
import { RunState } from './parts/run-state.ts';
import { Verdict, type Ending } from './parts/verdict.ts';
import type { Waiting } from './parts/wait-keeper.ts';

/** What a run was asked to do, beside its input. */
export interface RunSetup {
  readonly parts: AgentParts;
  readonly chains: Chains;
  readonly session: LiveSession;
  readonly context: unknown;
  readonly settings: ModelSettings;
  readonly toolChoice: ToolChoice | undefined;
  readonly output: { readonly schema: OutputSchema; readonly validate: Validate } | undefined;
  /** Gets the run's events; undefined when nobody listens. */
  readonly listener: ((event: AgentEvent) => void | Promise<void>) | undefined;
  /** The record of the run to go on with, or undefined for a new one. */
  readonly resume:
    | {
        readonly record: RunRecord;
        /** Of this resume, as `randomId` makes it. */
        readonly id: string;
        readonly answers: Answers;
        /** Set by a worker: the pause after its attempt, should it bring the run no further, in milliseconds. */
        readonly pauseMs: number | undefined;
      }
    | undefined;
}

/**
 * One run, while it is under way: who it is, and what it is made of. What changes belongs to its parts: how far it has come,
 * what was decided about its end, its questions, whether it lives, and the hook that it is in.
 */
export class ActiveRun implements Waiting {
  readonly id: string;
  readonly parts: AgentParts;
  readonly chains: Chains;
  readonly session: LiveSession;
  readonly context: unknown;
  readonly settings: ModelSettings;
  readonly toolChoice: ToolChoice | undefined;
  readonly output: RunSetup['output'];
  readonly listener: RunSetup['listener'];
  readonly resumed: boolean;
  readonly progress: Progress;
  readonly verdict = new Verdict();
  readonly questions: Questions;
  readonly life = new Lifeline();
  readonly current: CurrentHook;
  /** Kept in the record, so that their names and versions stay known. */
  readonly gonePlugins: RunRecord['plugins'] | undefined;
  /** Most runs have no state of their own, nobody to blame, and nothing that they wait for beside their layers. */
  #state: RunState | undefined;
  #blames: Blames | undefined;
  #waits: Waits | undefined;
  /** What each plugin sees of it, by the plugin's slot. */
  readonly #views: (object | undefined)[] = [];
  readonly #errors: ShallotError[] = [];
  #toolPlacers: WeakMap<Tool, Owner> | undefined;
  /** The plugins whose `beforeAgent` was reached; `all` when the hook is through. */
  #reached: Set<string> | 'all' | undefined;
  #messages = 0;
  #executions = 0;
  readonly #submitted: RunRecord['submitted'];
  /** Of a worker, until the run has reached another step. */
  readonly #attempt: { readonly made: Attempts; readonly step: number; readonly pauseMs: number } | undefined;
  /** A run that was taken up counts from the start again. Revisions would not keep its ids apart: another store has its own. */
  readonly #series: string;

  constructor(id: string, setup: RunSetup) {
    this.id = id;
    this.parts = setup.parts;
    this.chains = setup.chains;
    this.session = setup.session;
    this.context = setup.context;
    this.settings = setup.settings;
    this.toolChoice = setup.toolChoice;
    this.output = setup.output;
    this.listener = setup.listener;
    const record = setup.resume?.record;
    this.resumed = record !== undefined && record.submitted?.isNew !== true;
    this.progress = new Progress(record, setup.session.lastRun);
    this.questions = new Questions(record?.interrupts, setup.resume?.answers);
    this.current = new CurrentHook(setup.parts.hookTimes);
    this.#series =
      setup.resume === undefined ? '' : `${setup.resume.id.slice('resume_'.length).slice(0, 8)}.`;
    if (this.progress.position.at !== 'input') this.#reached = 'all';
    if (setup.session.hasState) this.gonePlugins = gonePlugins(setup.parts.host, setup.session);
    if (record !== undefined) this.#state = new RunState(record.state);
    this.#submitted = withoutNew(record?.submitted);
    const { pauseMs } = setup.resume ?? {};
    if (record !== undefined && pauseMs !== undefined)
      this.#attempt = { made: nextAttempt(record.attempts, pauseMs), step: record.step, pauseMs };
  }

  get blames(): Blames {
    this.#blames ??= new Blames();
    return this.#blames;
  }

  /** What it waits for beside its layers. */
  get waits(): Waits {
    this.#waits ??= new Waits();
    return this.#waits;
  }

  /** An id for a message of this run: unique in the session, as the run's is. */
  readonly newMessageId = (): string => {
    this.#messages += 1;
    return `${this.id}.${this.#series}${this.#messages}`;
  };

  /** An id for an execution of a tool: unique in the session, too. */
  newExecutionId(): string {
    this.#executions += 1;
    return `${this.id}.${this.#series}execution.${this.#executions}`;
  }

  toMessages(input: Input, plugin?: string): Message[] {
    return isList(input)
      ? completeInput(input, this.newMessageId, plugin)
      : toMessages(input, this.newMessageId, plugin);
  }

  // Ending

  /** Aborts the run: what it waits for settles at once. With the error of what nobody waits for, the run fails. */
  abort(reason: unknown): void {
    if (isShallotError(reason) && uncaught.has(reason.code)) return this.fail(reason);
    if (this.life.stopped !== undefined) return;
    const why = reason === undefined ? '' : `: ${messageOf(reason).replace(/\.$/, '')}`;
    const error = new ShallotError('RUN_ABORTED', { message: `The run was aborted${why}.`, cause: reason });
    // With its end on the way to the store there is nothing left to stop but the wait for that.
    if (this.life.isOver) this.session.hurry(error);
    else this.#stop(error);
  }

  /** Lets the run end with the step that it is in. */
  stopAfterStep(): void {
    this.life.stopAfterStep();
  }

  /** Fails the run with what nobody waits for, at once; when its outcome is known already, the error is noted. */
  fail(error: ShallotError): void {
    if (this.life.stopped !== undefined || this.life.isDecided) this.report(error);
    else this.#stop(error);
  }

  #stop(error: ShallotError): void {
    this.current.runOn();
    this.#waits?.clear();
    this.life.stop(error);
    this.session.letGo(error);
  }

  /** What a promise gives, unless an abort comes first. */
  orAbort<T>(promise: Promise<T>): Promise<T> {
    return this.life.orAbort(promise);
  }

  /** The first call wins, also over `again`. */
  end(answer: string | MessageInput | undefined, reason: Ending['reason'], plugin: string): void {
    this.refuseOver(plugin, 'end');
    this.verdict.end(answer, reason, plugin, this.newMessageId);
  }

  again(messages: Input | undefined, plugin: string): void {
    this.refuseOver(plugin, 'again');
    this.verdict.again(messages === undefined ? [] : this.toMessages(messages, plugin));
  }

  /** @throws `RUN_ENDED` when the session may be another run's by now */
  refuseOver(plugin: string, what: string): void {
    if (!this.life.isOver) return;
    throw new ShallotError('RUN_ENDED', {
      message: `${plugin} called ${what} on a run that has ended. Await everything that a hook starts before it returns.`,
      plugin,
    });
  }

  /** Notes that a plugin's `beforeAgent` was entered: its `afterAgent` will run. */
  reach(plugin: string): void {
    if (this.#reached === 'all') return;
    this.#reached ??= new Set();
    this.#reached.add(plugin);
  }

  reachAll(): void {
    this.#reached = 'all';
  }

  /** Whether a plugin's `afterAgent` is to run: one without a `beforeAgent` was never kept from it. */
  wasReached(plugin: string): boolean {
    if (this.#reached === 'all' || this.#reached?.has(plugin) === true) return true;
    return !this.chains.beforeAgent.taps.some((tap) => tap.owner.id === plugin);
  }

  /** Whose code the run waits for: while a commit is under way, that of the store. */
  findWaits(): readonly Wait[] {
    const { committing } = this.session;
    return committing === undefined ? this.waits.find(this.life) : [committing];
  }

  // What is said

  /** Failures that do not decide the outcome. */
  get errors(): readonly ShallotError[] {
    return this.#errors;
  }

  /** Notes an error that does not decide the outcome, and says it. */
  report(error: ShallotError): void {
    this.note(error);
    this.warn(error.code, error.message, error.plugin);
  }

  note(error: ShallotError): void {
    this.#errors.push(error);
  }

  /** Says something that a person should know, on the stream and in the log. */
  warn(code: string, message: string, plugin?: string): void {
    this.parts.log.warn({ runId: this.id, sessionId: this.session.id, code, plugin }, message);
    if (!this.life.isOver)
      void this.listener?.({ type: 'warning', code, message, ...(plugin === undefined ? {} : { plugin }) });
  }

  /** Says what it waits for, also when nothing but its end does. */
  notice(message: string, plugin: string | undefined): void {
    const warning = { code: 'STILL_WAITING', ...(plugin === undefined ? {} : { plugin }) };
    this.parts.log.warn({ runId: this.id, sessionId: this.session.id, ...warning }, message);
    void this.listener?.({ type: 'warning', message, ...warning });
  }

  pluginEvent(plugin: string, name: string, data: unknown): void {
    if (this.listener === undefined || this.life.isOver) return;
    freezeJson(data, `the event "${name}"`, plugin);
    void this.listener({ type: 'plugin', plugin, name, data });
  }

  // What plugins have in it

  view(slot: number): object | undefined {
    return this.#views[slot];
  }

  keepView(slot: number, view: object): void {
    this.#views[slot] = view;
  }

  /** The plugin that put a tool into this run's requests. */
  placerOf(tool: Tool): Owner | undefined {
    return this.#toolPlacers?.get(tool);
  }

  notePlacer(tool: Tool, owner: Owner): void {
    this.#toolPlacers ??= new WeakMap();
    this.#toolPlacers.set(tool, owner);
  }

  stateEntry(plugin: string, key: string, scope: 'session' | 'run'): StateEntry | undefined {
    return scope === 'run' ? this.#state?.get(plugin, key) : this.session.stateEntry(plugin, key);
  }

  setState(plugin: string, key: string, scope: 'session' | 'run', entry: StateEntry): void {
    this.refuseOver(plugin, `set the state "${key}"`);
    if (scope === 'session') return this.session.setState(plugin, key, entry);
    this.#state ??= new RunState();
    this.#state.set(plugin, key, entry);
  }

  /** The run as it is stored. */
  toRecord(status: RunRecord['status'] = 'running', error?: ShallotError): RunRecord {
    const { gonePlugins, progress } = this;
    const { host } = this.parts;
    const record: { -readonly [K in keyof RunRecord]: RunRecord[K] } = {
      id: this.id,
      status,
      step: progress.step,
      usage: progress.usage,
      usageBefore: progress.usageBefore,
      startedAt: progress.startedAt,
      state: this.#state?.toRecord() ?? noState,
      plugins: gonePlugins === undefined ? host.record : { ...gonePlugins, ...host.record },
      position: progress.position,
      interrupts: this.questions.of(status),
      answers: this.questions.answers,
    };
    if (progress.stopReason !== undefined) record.stopReason = progress.stopReason;
    if (status === 'aborted' && progress.shown !== undefined) record.shown = progress.shown;
    if (this.#submitted !== undefined) record.submitted = this.#submitted;
    if (status === 'failed' && error !== undefined) record.failure = this.#failureOf(error);
    const attempts = this.#attemptsOf(status, record.failure);
    if (attempts !== undefined) record.attempts = attempts;
    if (progress.firstMessage !== undefined) record.firstMessage = progress.firstMessage;
    if (this.toolChoice !== undefined)
      record.toolChoice = { choice: this.toolChoice, met: progress.isChoiceMet };
    // The schema was checked to be JSON when it was made.
    if (this.output !== undefined) record.output = this.output.schema as unknown as JsonObject;
    return record;
  }

  #failureOf({ code, message, transient, retryAt }: ShallotError): RunFailure {
    return {
      code,
      message: this.parts.redactor.text(message),
      ...(transient ? { transient } : {}),
      ...(retryAt === undefined ? {} : { retryAt }),
    };
  }

  /** What is to be known of the attempts if the process dies now, or of the next one after a transient failure. */
  #attemptsOf(status: RunRecord['status'], failure: RunFailure | undefined): Attempts | undefined {
    const attempt = this.#attempt;
    if (attempt === undefined) return undefined;
    const isHere = this.progress.step === attempt.step && !this.life.isHandedBack;
    if (status === 'running') return isHere ? attempt.made : undefined;
    if (failure?.transient !== true) return undefined;
    const made = isHere ? attempt.made : nextAttempt(undefined, attempt.pauseMs);
    return { count: made.count, notBefore: Math.max(made.notBefore, failure.retryAt ?? 0) };
  }
}

const noState: RunRecord['state'] = Object.freeze({});

function withoutNew(submitted: RunRecord['submitted']): RunRecord['submitted'] {
  if (submitted?.isNew === undefined) return submitted;
  const { isNew: _, ...rest } = submitted;
  return rest;
}

/** What fails a run whose signal is aborted with it: what nobody waits for, be it somebody else's or our own. */
const uncaught: ReadonlySet<string> = new Set(['UNCAUGHT', 'INTERNAL']);
