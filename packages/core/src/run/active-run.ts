import { isShallotError, messageOf, ShallotError } from '../base/errors.ts';
import { handled } from '../base/handled.ts';
import type { HookName } from '../base/hook-names.ts';
import { isPromise } from '../base/is-promise.ts';
import { freezeJson, type JsonObject } from '../base/json.ts';
import type { Validate } from '../base/schema.ts';
import type { Wait } from '../base/wait.ts';
import type { AgentEvent } from '../contract/events.ts';
import { InterruptSignal } from '../contract/interrupt-signal.ts';
import type { Answers, Interrupt } from '../contract/interrupt.ts';
import {
  toMessages,
  toolCallsOf,
  type Input,
  type AssistantMessage,
  type Message,
  type MessageInput,
  type ToolMessage,
} from '../contract/messages.ts';
import type { FinishReason, ModelSettings, OutputSchema } from '../contract/model.ts';
import type { StopReason } from '../contract/result.ts';
import type { RunPosition, RunRecord, StateEntry } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import { noUsage, sumUsage, type RunUsage } from '../contract/usage.ts';
import type { Chains } from '../hooks/chains.ts';
import { Frame } from '../hooks/frame.ts';
import type { Owner } from '../hooks/owner.ts';
import { Waits } from '../hooks/waits.ts';
import { journalEntry } from '../sessions/journal-change.ts';
import type { LiveSession } from '../sessions/live-session.ts';
import { Questions } from '../sessions/questions.ts';
import type { AgentParts } from './agent-parts.ts';
import { Blames } from './blames.ts';
import { gonePlugins } from './gone-plugins.ts';
import type { HookClock } from './hook-clock.ts';
import { RunState } from './run-state.ts';
import type { Waiting } from './wait-keeper.ts';

/** What a run was asked to do, beside its input. */
export interface RunSetup {
  readonly parts: AgentParts;
  readonly chains: Chains;
  readonly session: LiveSession;
  readonly context: unknown;
  readonly settings: ModelSettings;
  readonly output: { readonly schema: OutputSchema; readonly validate: Validate } | undefined;
  /** Gets the run's events; undefined when nobody listens. */
  readonly listener: ((event: AgentEvent) => void | Promise<void>) | undefined;
  /** The record of the run to go on with, or undefined for a new one. */
  readonly resume:
    | { readonly record: RunRecord; readonly revision: number; readonly answers: Answers }
    | undefined;
}

/** How `end` was called. */
export interface Ending {
  readonly message: AssistantMessage | undefined;
  readonly reason: 'ended' | 'limit';
}

/** The message that a run ends with: the model's answer, the one that a hook gave, or the result of a tool. */
export interface LastWord {
  readonly message: AssistantMessage | ToolMessage;
  /** The model's, when it is the model's answer. */
  readonly finish?: FinishReason;
  /** Whether the stream has had it. */
  readonly isShown: boolean;
}

/** One run, while it is under way: what it knows, and what hooks, tools and the loop ask of it. */
export class ActiveRun implements Waiting {
  readonly id: string;
  readonly parts: AgentParts;
  readonly chains: Chains;
  readonly session: LiveSession;
  readonly context: unknown;
  readonly settings: ModelSettings;
  readonly output: RunSetup['output'];
  readonly listener: RunSetup['listener'];
  readonly resumed: boolean;
  readonly startedAt: number;
  readonly usageBefore: RunUsage;
  readonly questions: Questions;
  /** Kept in the record, so that their names and versions stay known. */
  readonly gonePlugins: RunRecord['plugins'] | undefined;
  /** Failures that do not decide the outcome. */
  readonly errors: ShallotError[] = [];
  readonly blames = new Blames();
  step: number;
  usage: RunUsage;
  position: RunPosition;
  firstMessage: string | undefined;
  /** Where the messages of the current step begin. */
  stepStart = 0;
  /** The input, until it is committed. */
  input: readonly Message[] = [];
  ending: Ending | undefined;
  /** What `again` was called with; the messages may be none. */
  more: readonly Message[] | undefined;
  stopReason: StopReason | undefined;
  /** The before or after hook that is under way. */
  hook: HookName | undefined;
  /** Where the run would go on after a question that is asked now, if that is not `position`. */
  locate: (() => RunPosition | undefined) | undefined;
  /** Where the answer that is under way is streamed to, until it is part of the session. */
  edge: { readonly text: string } | undefined;
  /** The validated answer, when a schema was asked for. */
  answer: { readonly value: unknown } | undefined;
  /** What the run ends with. */
  lastWord: LastWord | undefined;
  ended = false;
  /** Whether the outcome is known: what goes wrong from then on is noted. */
  isDecided = false;
  /** What it waits for beside its layers. */
  readonly waits = new Waits();
  /** What each plugin sees of it, by the plugin's slot. */
  readonly views: (object | undefined)[] = [];
  /** The run is to end with the step that it is in. */
  stopping = false;
  readonly #state: RunState;
  readonly #root = new Frame();
  readonly #frames = new Set<Frame>();
  #clock: HookClock | undefined;
  #toolPlacers: WeakMap<Tool, Owner> | undefined;
  /** The plugins whose `beforeAgent` was reached; `all` when the hook is through. */
  #reached: Set<string> | 'all' | undefined;
  #messages = 0;
  /** A run that was taken up counts from the start again: the revision that it was found at keeps its ids apart. */
  readonly #series: string;
  #stopped: ShallotError | undefined;

  constructor(id: string, setup: RunSetup) {
    this.id = id;
    this.parts = setup.parts;
    this.chains = setup.chains;
    this.session = setup.session;
    this.context = setup.context;
    this.settings = setup.settings;
    this.output = setup.output;
    this.listener = setup.listener;
    const record = setup.resume?.record;
    this.resumed = record !== undefined;
    this.step = record?.step ?? 0;
    this.usage = record?.usage ?? noUsage;
    this.usageBefore = record?.usageBefore ?? usageOf(setup.session.lastRun);
    this.startedAt = record?.startedAt ?? Date.now();
    this.position = record?.position ?? { at: 'input', input: [] };
    this.firstMessage = record?.firstMessage;
    // An interrupted run stopped for a reason that holds no more; one that died at its end keeps its reason.
    this.#series = setup.resume === undefined ? '' : `${setup.resume.revision}.`;
    this.stopReason = this.position.at === 'end' ? record?.stopReason : undefined;
    if (this.position.at === 'input') this.input = this.position.input;
    else this.#reached = 'all';
    this.gonePlugins = gonePlugins(setup.parts.host, setup.session);
    this.questions = new Questions(record?.interrupts, setup.resume?.answers);
    this.#state = new RunState(record?.state);
  }

  /** An id for a message of this run: unique in the session, as the run's is. */
  readonly newMessageId = (): string => {
    this.#messages += 1;
    return `${this.id}.${this.#series}${this.#messages}`;
  };

  toMessages(input: Input, plugin?: string): Message[] {
    return toMessages(input, this.newMessageId, plugin);
  }

  // Ending

  /** Set once the run has been stopped from outside its hooks: the error that everything it waits for is rejected with. */
  get stopped(): ShallotError | undefined {
    return this.#stopped;
  }

  /** Set once the run has been aborted. */
  get aborted(): ShallotError | undefined {
    return this.#stopped?.code === 'RUN_ABORTED' ? this.#stopped : undefined;
  }

  /** Aborts the run: what it waits for settles at once. With the error of what nobody waits for, the run fails. */
  abort(reason: unknown): void {
    if (isShallotError(reason) && uncaught.has(reason.code)) return this.fail(reason);
    if (this.#stopped !== undefined) return;
    const why = reason === undefined ? '' : `: ${messageOf(reason).replace(/\.$/, '')}`;
    const error = new ShallotError('RUN_ABORTED', { message: `The run was aborted${why}.`, cause: reason });
    // With its end on the way to the store there is nothing left to stop but the wait for that.
    if (this.ended) this.session.hurry(error);
    else this.#stop(error);
  }

  /** Fails the run with what nobody waits for, at once; when its outcome is known already, the error is noted. */
  fail(error: ShallotError): void {
    if (this.#stopped !== undefined || this.isDecided) this.report(error);
    else this.#stop(error);
  }

  /** Notes an error that does not decide the outcome. */
  report(error: ShallotError): void {
    this.errors.push(error);
    this.warn(error.code, error.message, error.plugin);
  }

  #stop(error: ShallotError): void {
    this.#stopped = error;
    this.#clock?.runOn();
    this.waits.clear();
    this.#root.close(error);
    this.closeFrames(() => error);
    this.session.letGo(error);
  }

  get signal(): AbortSignal {
    return this.#root.signal;
  }

  /**
   * Renews a claim that has lapsed, or gives the run up: before a model call, a tool call or a function of `once` begins
   * in a process that slept past its lease. Waits no longer than the frame, if there is one, is open.
   */
  regainClaim(frame?: Frame): Promise<void> {
    const regained = this.#renewClaim();
    return frame === undefined ? regained : frame.wait(regained);
  }

  async #renewClaim(): Promise<void> {
    try {
      await this.session.renew(this.parts.claimMs);
    } catch (error) {
      this.abort(error);
      this.throwIfAborted();
      throw error;
    }
  }

  /** A before or after hook is entered; `locate` gives where the run would go on with its tap under way. */
  enterHook(hook: HookName, locate: (() => RunPosition | undefined) | undefined): void {
    this.hook = hook;
    this.locate = locate;
  }

  /** A tap of it is entered. */
  enterTap(): void {
    this.#clock?.enter();
  }

  leaveHook(): void {
    this.hook = undefined;
    this.locate = undefined;
  }

  /** The clock of the before and after hooks. */
  get clock(): HookClock {
    if (this.#clock === undefined) {
      this.#clock = this.parts.hookTimes.clock();
      if (this.#stopped !== undefined) this.#clock.runOn();
    }
    return this.#clock;
  }

  throwIfAborted(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /** The plugins that put tools into this run's requests. */
  get toolPlacers(): WeakMap<Tool, Owner> {
    this.#toolPlacers ??= new WeakMap();
    return this.#toolPlacers;
  }

  /** A frame for something that an abort cuts short, even if it takes no notice. `leave` it when it has settled. */
  enter(): Frame {
    this.throwIfAborted();
    const frame = new Frame();
    this.#frames.add(frame);
    return frame;
  }

  /** What a promise gives, unless an abort comes first. */
  async orAbort<T>(promise: Promise<T>): Promise<T> {
    const frame = this.enter();
    try {
      return await frame.wait(promise);
    } finally {
      this.leave(frame);
    }
  }

  /** Ends what is under way: it is rejected with this reason, which is made only if there is anything. */
  closeFrames(reasonOf: () => unknown): void {
    if (this.#frames.size === 0) return;
    const reason = reasonOf();
    for (const frame of this.#frames) frame.close(reason);
  }

  leave(frame: Frame): void {
    this.#frames.delete(frame);
  }

  /** The first call wins, also over `again`. */
  end(answer: string | MessageInput | undefined, reason: 'ended' | 'limit', plugin: string): void {
    if (this.ended) throw runEnded(plugin, 'end');
    if (this.ending !== undefined) return;
    const given = typeof answer === 'string' ? { role: 'assistant' as const, content: answer } : answer;
    const message = given === undefined ? undefined : this.toMessages(given, plugin)[0];
    if (message !== undefined && (message.role !== 'assistant' || toolCallsOf(message).length > 0)) {
      throw new ShallotError('MESSAGE_INVALID', {
        message: `${plugin} called end with something that is not an answer: give a text, or an assistant message without tool calls.`,
        plugin,
      });
    }
    this.ending = { message, reason };
  }

  again(messages: Input | undefined, plugin: string): void {
    if (this.ended) throw runEnded(plugin, 'again');
    const added = messages === undefined ? [] : this.toMessages(messages, plugin);
    this.more = [...(this.more ?? []), ...added];
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
    return committing === undefined ? this.waits.find(this.#frames) : [committing];
  }

  // Events

  /** Says something that a person should know, on the stream and in the log. */
  warn(code: string, message: string, plugin?: string): void {
    this.parts.log.warn({ runId: this.id, sessionId: this.session.id, code, plugin }, message);
    if (!this.ended)
      void this.listener?.({ type: 'warning', code, message, ...(plugin === undefined ? {} : { plugin }) });
  }

  /** Says what it waits for, also when nothing but its end does. */
  notice(message: string, plugin: string | undefined): void {
    const warning = { code: 'STILL_WAITING', ...(plugin === undefined ? {} : { plugin }) };
    this.parts.log.warn({ runId: this.id, sessionId: this.session.id, ...warning }, message);
    void this.listener?.({ type: 'warning', message, ...warning });
  }

  pluginEvent(plugin: string, name: string, data: unknown): void {
    if (this.listener === undefined || this.ended) return;
    freezeJson(data, `the event "${name}"`, plugin);
    void this.listener({ type: 'plugin', plugin, name, data });
  }

  // State

  stateEntry(plugin: string, key: string, scope: 'session' | 'run'): StateEntry | undefined {
    return scope === 'run' ? this.#state.get(plugin, key) : this.session.stateEntry(plugin, key);
  }

  setState(plugin: string, key: string, scope: 'session' | 'run', entry: StateEntry): void {
    if (this.ended) throw runEnded(plugin, `set the state "${key}"`);
    if (scope === 'session') return this.session.setState(plugin, key, entry);
    this.#state.set(plugin, key, entry);
  }

  // Interrupts

  /** Puts a question on record: committed before anybody hears of it, and in the place of an intent, if there is one. */
  async open(interrupt: Interrupt, intent?: string): Promise<void> {
    this.throwIfAborted();
    if (this.ended) throw runEnded(interrupt.plugin, 'interrupt');
    if (!this.questions.add(interrupt, this.session.lastTurn()[0])) return;
    this.position = this.locate?.() ?? this.position;
    const journal = intent === undefined ? {} : { journal: journalEntry(intent, null) };
    await this.session.commit({ ...journal, run: this.toRecord() });
    void this.listener?.({ type: 'interrupt', interrupt });
  }

  /**
   * The interrupt that a call, or without one the hook that asked, still waits for: it was asked before the run was taken
   * up, and has no answer. Such questions stay as they are on record, and are announced again.
   */
  unanswered(callId?: string): InterruptSignal | undefined {
    const asked = this.questions.unanswered(callId);
    for (const interrupt of asked) {
      this.questions.add(interrupt, this.session.lastTurn()[0]);
      void this.listener?.({ type: 'interrupt', interrupt });
    }
    const [first] = asked;
    return first === undefined ? undefined : new InterruptSignal(first);
  }

  // The record

  /** The run as it is stored. */
  toRecord(status: RunRecord['status'] = 'running'): RunRecord {
    const { gonePlugins } = this;
    const { host } = this.parts;
    const record: { -readonly [K in keyof RunRecord]: RunRecord[K] } = {
      id: this.id,
      status,
      step: this.step,
      usage: this.usage,
      usageBefore: this.usageBefore,
      startedAt: this.startedAt,
      state: this.#state.toRecord(),
      plugins: gonePlugins === undefined ? host.record : { ...gonePlugins, ...host.record },
      position: this.position,
      interrupts: this.questions.of(status),
      answers: this.questions.answers,
    };
    if (this.stopReason !== undefined) record.stopReason = this.stopReason;
    if (status === 'aborted' && this.edge !== undefined) record.shown = this.edge.text;
    if (this.firstMessage !== undefined) record.firstMessage = this.firstMessage;
    // The schema was checked to be JSON when it was made.
    if (this.output !== undefined) record.output = this.output.schema as unknown as JsonObject;
    return record;
  }

  /** What `once` gives is committed before it is returned; a second call gets the committed value. */
  once<T>(key: string, plugin: string, fn: () => T | Promise<T>): Promise<T> {
    return handled(this.#once(key, plugin, fn));
  }

  async #once<T>(key: string, plugin: string, fn: () => T | Promise<T>): Promise<T> {
    const known = this.session.journalled(key);
    // Only `once` writes entries under such a key, with a value of the same function.
    if (known?.type === 'once') return known.value as T;
    // What a hook does after its run was cut short: the session may be another run's by now.
    const throwIfEnded = (): void => {
      if (this.ended) throw runEnded(plugin, 'once');
    };
    const work = async (): Promise<T> => {
      throwIfEnded();
      if (this.session.isClaimLapsed) await this.regainClaim();
      const made = fn();
      // What it set goes out together with its value: nothing may be committed between the two.
      const value = isPromise(made) ? await made : made;
      freezeJson(value, 'what once returns', plugin);
      throwIfEnded();
      if (this.hook === 'beforeAgent') this.position = this.locate?.() ?? this.position;
      await this.session.commit({ journal: { [key]: { type: 'once', value } }, run: this.toRecord() });
      return value;
    };
    return this.hook === undefined ? work() : this.clock.pauseFor(work());
  }
}

/** What fails a run whose signal is aborted with it: what nobody waits for, be it somebody else's or our own. */
const uncaught: ReadonlySet<string> = new Set(['UNCAUGHT', 'INTERNAL']);

function usageOf(run: RunRecord | undefined): RunUsage {
  if (run === undefined) return noUsage;
  return sumUsage(run.usageBefore, run.usage);
}

function runEnded(plugin: string, what: string): ShallotError {
  return new ShallotError('RUN_ENDED', {
    message: `${plugin} called ${what} on a run that has ended. Await what a hook starts before it returns.`,
    plugin,
  });
}
