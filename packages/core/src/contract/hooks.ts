import type { Address } from '../base/address.ts';
import type { HookName } from '../base/hook-names.ts';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Schema, SchemaOutput } from '../base/schema.ts';
import type { Logger } from '../log/logger.ts';
import type { InterruptRequest, CallOutput } from './interrupt.ts';
import type { Input, Message, MessageInput } from './messages.ts';
import type { Chunk, Emit, ModelRequest, ModelResponse, ModelResponseInput } from './model.ts';
import type { RunResult } from './result.ts';
import type { RunInfo } from './run-info.ts';
import type { ToolDisplay } from './tool-display.ts';
import type { ToolCall, ToolResult, ToolResultInput } from './tool.ts';
import type { RunChild } from './work/child.ts';

/** A run as seen by the before and after hooks. */
export interface Run<Context = unknown> extends RunInfo<Context> {
  /**
   * Ends the run. `answer` becomes an assistant message, and the answer of the run. Without it, the answer is that of
   * the model in this step, if it is stored. The first call wins. Does not throw: the hook still returns.
   */
  readonly end: (answer?: string | MessageInput, options?: { readonly reason?: 'ended' | 'limit' }) => void;
  /** In `afterModel`: requests one more step, after these messages. No tool of this step is executed. */
  readonly again: (messages?: Input) => void;
  /** In `beforeAgent`: replaces the input of the run. */
  readonly setInput: (messages: Input) => void;
  /**
   * In `beforeModel` and `afterModel`: asks a person or another program a question. Resolves with the answer; until there
   * is one, rejects to unwind to the core.
   */
  readonly interrupt: <S extends Schema>(request: InterruptRequest<S>) => Promise<SchemaOutput<S>>;
  /**
   * Runs `fn` once for this hook of this step, even if the run is interrupted or crashes. The result is committed before
   * it is returned.
   */
  readonly once: <T>(key: string, fn: () => T | Promise<T>) => Promise<T>;
}

/** The third argument of a wrap. `C` is the type of its chunks. */
export interface Scope<C = Chunk, Context = unknown> {
  /** The run that the call belongs to: its ids, messages, usage, log and signal. */
  readonly run: WrapRun<Context>;
  /** The place of the call in the tree of runs; in `wrapToolCall`, it includes the id of the call. */
  readonly address: Address;
  /** Passes a chunk outwards; undefined if nobody receives chunks, as in a parallel call of `next`. */
  readonly emit: Emit<C> | undefined;
  /** The number of times this layer was entered, from 1; it grows when an outer layer retries. */
  readonly attempt: number;
  readonly resumed: boolean;
  /** Aborted with the run, or when an outer layer abandons this call. */
  readonly signal: AbortSignal;
  /** Set for a model call that a plugin makes for itself. */
  readonly origin?: { readonly plugin: string; readonly purpose: string } | undefined;
  /** In a gate: set if another gate has changed the call since this one decided. */
  readonly edit?: Edit | undefined;
  /**
   * In a gate: the value that the tool gets, if its schema changes `call.input` (defaults, transforms). The gate's
   * questions and `once` results depend on it.
   */
  readonly output?: CallOutput | undefined;
  /** In a gate: data about the tool and the call, for the person who decides. */
  readonly display?: ToolDisplay | undefined;
  /** In a gate: returns the errors that a call would have if it were passed on; undefined if it is valid. */
  readonly check?: ((call: Pick<ToolCall, 'name' | 'input'>) => Promise<string | undefined>) | undefined;
  /**
   * In `wrapToolCall`: asks a person or another program a question. Resolves with the answer; until there is one, rejects
   * to unwind to the core.
   */
  readonly interrupt: <S extends Schema>(request: InterruptRequest<S>) => Promise<SchemaOutput<S>>;
  /**
   * In `wrapToolCall`: runs another agent, as `child` of a tool's context does. Its questions are asked as questions of
   * the call. When the call is entered again, its layers must ask for the same children in the same order.
   */
  readonly child: RunChild;
  /**
   * Runs `fn` once for this entry of the layer, even if the run is interrupted or crashes. The result is committed before
   * it is returned.
   */
  readonly once: <T>(key: string, fn: () => T | Promise<T>) => Promise<T>;
  /**
   * Calls a callback, such as one from the plugin's options, within `hookTimeoutMs`, and returns its result. `what`
   * names it in the error. @throws `HOOK_TIMEOUT`, or the reason of an abort
   */
  readonly inTime: <T>(what: string, fn: () => T | Promise<T>) => Promise<T>;
  /**
   * Calls a function that asks a person in this process, and returns its result. The wait causes no warning about a
   * slow plugin.
   */
  readonly asking: <T>(fn: () => T | Promise<T>) => Promise<T>;
  /** In `wrapModelCall`: replaces the session's messages together with the response, if the call succeeds. */
  readonly replaceMessages: (messages: readonly MessageInput[]) => void;
}

/** A run inside a wrap. */
export interface WrapRun<Context = unknown> extends RunInfo<Context> {
  /** See `Run.end`. In `wrapToolCall`, calls of the step that have not started are answered "not executed". */
  readonly end: (answer?: string | MessageInput, options?: { readonly reason?: 'ended' | 'limit' }) => void;
}

/** The gate that changed a call, and the call before. */
export interface Edit {
  readonly by: string;
  readonly from: ToolCall;
}

export interface NextOptions<C> {
  /** Receives the chunks instead of the layer's own `scope.emit`. */
  readonly emit?: Emit<C> | undefined;
  /** Aborts the inner layers, in addition to the layer's own signal. */
  readonly signal?: AbortSignal;
  /** Allows parallel calls of `next`, which get no `emit`. */
  readonly parallel?: boolean;
}

/** Enters the layers inside. May be called zero, one or many times, until the layer settles. */
export type Next<Request, Response, C> = (request: Request, options?: NextOptions<C>) => Promise<Response>;

/** The third argument of a layer around a model call. Its `emit` takes chunks. */
export type ModelScope<Context = unknown> = Scope<Chunk, Context>;
/** The third argument of a layer around a tool call. Its `emit` takes JSON, for `tool-progress` events. */
export type ToolScope<Context = unknown> = Scope<JsonValue, Context>;
/** The inner layers of a model call, and the model itself. */
export type ModelNext = Next<ModelRequest, ModelResponse, Chunk>;
/** The inner layers of a tool call, the gates, and the tool itself. */
export type ToolNext = Next<ToolCall, ToolResult, JsonValue>;

/** The function types of the six hooks. */
export interface HookFunctions<Context = unknown> {
  /** Called once per run, before its first step; it may call `run.setInput`. */
  beforeAgent(run: Run<Context>): void | undefined | Promise<void | undefined>;
  /** Called once per step. Returns the next request, or nothing. Its messages become the session's. */
  beforeModel(
    request: ModelRequest,
    run: Run<Context>,
  ): ModelRequest | void | undefined | Promise<ModelRequest | void | undefined>;
  /** Called around each model call: `next(request)` makes it. Changes of the request apply only to this call. */
  wrapModelCall(
    request: ModelRequest,
    next: ModelNext,
    scope: ModelScope<Context>,
  ): ModelResponseInput | Promise<ModelResponseInput>;
  /** Called once per step, inside out. Returns the next response, or nothing. */
  afterModel(
    response: CompleteResponse,
    run: Run<Context>,
  ): ModelResponseInput | void | undefined | Promise<ModelResponseInput | void | undefined>;
  /** Called around each tool call: `next(call)` makes it. */
  wrapToolCall(
    call: ToolCall,
    next: ToolNext,
    scope: ToolScope<Context>,
  ): ToolResultInput | Promise<ToolResultInput>;
  /** Called whenever the run ends or is interrupted, inside out. Returns the next result, or nothing. */
  afterAgent(
    result: RunResult,
    run: Run<Context>,
  ): RunResult | void | undefined | Promise<RunResult | void | undefined>;
}

/** A response whose message has its id and whose tool calls have unique ids. */
export interface CompleteResponse extends ModelResponse {
  readonly message: Extract<Message, { role: 'assistant' }>;
}

/**
 * The second argument of a tap on the input. It has no run: the tap may run in a process that does not execute the
 * run.
 */
export interface InputContext<Context = unknown> {
  /**
   * `input`: the input of a run. `answer`: an answer to a question, as one user message with a text part for each string
   * and number in it.
   */
  readonly kind: 'input' | 'answer';
  /** The session that the messages are for; it may not exist yet. */
  readonly sessionId: string;
  /** The name of the agent. */
  readonly agent: string;
  /** The application's own data, as passed to `run`, `submit` or `resume`. */
  readonly context: Context;
  /** Aborted when the messages are no longer needed. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /**
   * Adds members to the plugin's session state, whose value must be an object; they are committed together with the
   * messages. @throws `OPTION_INVALID` for undeclared state
   */
  readonly keep: (key: string, entries: JsonObject) => void;
}

/** The third argument of a tap on a result. */
export interface ResultContext<Context = unknown> {
  readonly run: RunInfo<Context>;
  /** Aborted with the call. */
  readonly signal: AbortSignal;
}

/** Checks or changes an input before it is stored. Returns messages, or nothing. An error rejects the input. */
export type InputFunction<Context = unknown> = (
  messages: readonly Message[],
  context: InputContext<Context>,
) => readonly MessageInput[] | void | undefined | Promise<readonly MessageInput[] | void | undefined>;

/** Checks or changes a result before it is stored. Returns a result, or nothing. An error withholds it. */
export type ResultFunction<Context = unknown> = (
  result: ToolResult,
  call: ToolCall,
  context: ResultContext<Context>,
) => ToolResultInput | void | undefined | Promise<ToolResultInput | void | undefined>;

/** Options of a tap. A string stands for `{ name }`. */
export interface TapOptions {
  /** A label for traces and errors, shown after the plugin's id. */
  readonly name: string;
  /** The priority of this tap, instead of its plugin's. */
  readonly priority?: number;
  /**
   * If true, the tap also surrounds child runs, and no definition of a child can leave it out. Default: true for gates, else
   * false.
   */
  readonly tree?: boolean;
}

export interface WrapModelTapOptions extends TapOptions {
  /** If true, model calls made by plugins also pass this tap. Default: false. */
  readonly internal?: boolean;
}

export interface WrapToolTapOptions extends TapOptions {
  /** Makes the tap a gate: innermost, it decides on the call exactly as it would be executed. Default: false. */
  readonly gate?: boolean;
}

/** Makes a tap of `beforeAgent` receive only the input: outside in, before the run's first commit. */
export interface InputTapOptions extends TapOptions {
  readonly input: true;
}

/** Makes a tap of `wrapToolCall` receive only results: inside out, before a result is journalled. */
export interface ResultTapOptions extends TapOptions {
  readonly result: true;
}

/** A tap as seen by interceptors and `inspect`. */
export interface TapInfo {
  readonly plugin: string;
  /** The tap's own label. */
  readonly name: string;
  readonly hook: HookName;
  readonly priority: number;
  readonly gate: boolean;
  readonly internal: boolean;
  /** Set for a tap on the input or on results. */
  readonly on?: 'input' | 'result';
  /** True if the tap surrounds child runs. Absent if it has the default: true for a gate, else false. */
  readonly tree?: boolean;
  /** The place in the hook's order, from 0: tapable's stage. */
  readonly stage: number;
}

/** A tap of an agent, with the reason for its place. */
export interface LayerInfo extends TapInfo {
  readonly reason: PlaceReason;
}

/** The reason for a tap's place. Gates are inside all other taps of `wrapToolCall`; among them the same rules apply. */
export interface PlaceReason {
  /** The source of the priority: the tap, the entry in the list, the plugin, or the default of 25. */
  readonly priority: 'tap' | 'entry' | 'plugin' | 'default';
  /** The edge that moved the tap from the place of its priority, and the plugin it refers to. */
  readonly edge?: {
    readonly kind: 'outside' | 'inside';
    readonly target: string;
    readonly from: 'entry' | 'plugin';
  };
  /** The next outer plugin with equal priority, which is listed earlier or tapped the hook earlier. */
  readonly tie?: string;
}

/** Watches one call of one tap. */
export interface TapObserver {
  /** Called when a layer calls `next`. */
  next?(value: unknown): void;
  /** Called with the result or the error of `next`. */
  back?(value: unknown, error?: unknown): void;
  /** Called when the tap has settled. */
  done?(value: unknown, error?: unknown): void;
}

/**
 * tapable's interception: observes a hook without being part of its order. An error in a callback fails the call, with
 * the plugin's name.
 */
export interface Interceptor {
  readonly name?: string;
  /** Called once per tap, and again when the order changes. It cannot replace the tap. */
  register?(tap: TapInfo): void;
  /** Called with the arguments of a hook call. */
  call?(...args: readonly unknown[]): void;
  /** Called before a tap runs with this value. */
  tap?(
    tap: TapInfo,
    value: unknown,
    context: { readonly run: RunInfo; readonly scope?: Scope<never> },
  ): TapObserver | void;
  /** Called when the hook has finished without an error. */
  result?(value: unknown): void;
  /** Called when the hook has failed. */
  error?(error: unknown): void;
}

interface HookBase {
  readonly name: HookName;
  /** Observes the hook without a place in its order. */
  intercept(interceptor: Interceptor): void;
  /** True if this plugin or another plugin of the agent has tapped the hook. */
  isUsed(): boolean;
}

/** A hook as seen by a plugin. The function for `tap` may return a promise; that for `tapPromise` must. */
export interface Hook<
  Args extends readonly unknown[],
  Result,
  Options extends TapOptions = TapOptions,
> extends HookBase {
  /**
   * Adds a function to the hook. `options` is its name, for errors and traces, or `{ name, priority, … }`. A throw is an
   * error of the plugin.
   */
  tap(options: string | Options, fn: (...args: Args) => Result | Promise<Result>): void;
  /** As `tap`, for a function that always returns a promise. */
  tapPromise(options: string | Options, fn: (...args: Args) => Promise<Result>): void;
}

type HookOf<Fn extends (...args: never[]) => unknown, Options extends TapOptions = TapOptions> = Hook<
  Parameters<Fn>,
  Awaited<ReturnType<Fn>>,
  Options
>;

/**
 * A hook whose options may select functions of another type, such as `{ input: true }`. It is a single interface because
 * editors show no docstrings for the members of an intersection.
 */
interface SelectiveHook<
  Selecting extends TapOptions,
  Selected,
  Fn extends (...args: never[]) => unknown,
  Options extends TapOptions = TapOptions,
> extends HookOf<Fn, Options> {
  /** Adds a function of the type that the options select. */
  tap(options: Selecting, fn: Selected): void;
  /**
   * Adds a function to the hook. `options` is its name, for errors and traces, or `{ name, priority, … }`. A throw is an
   * error of the plugin.
   */
  tap(
    options: string | Options,
    fn: (...args: Parameters<Fn>) => Awaited<ReturnType<Fn>> | Promise<Awaited<ReturnType<Fn>>>,
  ): void;
  /** As `tap`, for a function that always returns a promise. */
  tapPromise(options: Selecting, fn: Selected): void;
  /** As `tap`, for a function that always returns a promise. */
  tapPromise(
    options: string | Options,
    fn: (...args: Parameters<Fn>) => Promise<Awaited<ReturnType<Fn>>>,
  ): void;
}

/** The six hooks, as a plugin's set-up receives them, to tap. */
export interface Hooks<Context = unknown> {
  /**
   * `(run)`: once per run, before its first step, outside in. May replace the input with `run.setInput`, end the run with
   * `run.end`, and set state. A throw fails the run. With `{ input: true }`: `(input, context)`, for each input and each
   * answer to a question, before it is stored.
   */
  readonly beforeAgent: SelectiveHook<
    InputTapOptions,
    InputFunction<Context>,
    HookFunctions<Context>['beforeAgent']
  >;
  /**
   * `(request, run)`: once per step, outside in. Returns the next request, or nothing for "unchanged". Its messages become
   * the session's; instructions, tools and settings hold for this step. A throw fails the run.
   */
  readonly beforeModel: HookOf<HookFunctions<Context>['beforeModel']>;
  /**
   * `(request, next, scope)`: around each model call, outside in and back out. `next(request)` makes the call; it may be
   * called zero, one or many times. Returns the response. Changes of the request hold for this call only.
   */
  readonly wrapModelCall: HookOf<HookFunctions<Context>['wrapModelCall'], WrapModelTapOptions>;
  /**
   * `(response, run)`: once per step, inside out, before its tools run. Returns the next response, or nothing for
   * "unchanged". May ask for one more step with `run.again`. A throw fails the run.
   */
  readonly afterModel: HookOf<HookFunctions<Context>['afterModel']>;
  /**
   * `(call, next, scope)`: around each tool call, outside in and back out. `next(call)` executes it. Returns the result. With
   * `{ gate: true }`, decides innermost whether the call may be executed as it is; a throw denies it. With
   * `{ result: true }`: on each result before it is stored, inside out.
   */
  readonly wrapToolCall: SelectiveHook<
    ResultTapOptions,
    ResultFunction<Context>,
    HookFunctions<Context>['wrapToolCall'],
    WrapToolTapOptions
  >;
  /**
   * `(result, run)`: whenever the run ends or is interrupted, so once more after a resume; inside out, whatever the outcome.
   * Returns the next result, or nothing for "unchanged"; the outcome stays. A throw is listed in `result.errors`, and every
   * other tap still runs.
   */
  readonly afterAgent: HookOf<HookFunctions<Context>['afterAgent']>;
}
