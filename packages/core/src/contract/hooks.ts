import type { HookName } from '../base/hook-names.ts';
import type { JsonValue } from '../base/json.ts';
import type { Schema, SchemaOutput } from '../base/schema.ts';
import type { InterruptRequest, CallOutput } from './interrupt.ts';
import type { Input, Message, MessageInput } from './messages.ts';
import type { Chunk, Emit, ModelRequest, ModelResponse, ModelResponseInput } from './model.ts';
import type { RunResult } from './result.ts';
import type { RunInfo } from './run-info.ts';
import type { ToolDisplay } from './tool-display.ts';
import type { ToolCall, ToolResult } from './tool.ts';

/** A run as the before and after hooks see it. */
export interface Run<Context = unknown> extends RunInfo<Context> {
  /** Ends the run, with an assistant message if there is an answer. The first call wins. The hook still returns. */
  readonly end: (answer?: string | MessageInput, options?: { readonly reason?: 'ended' | 'limit' }) => void;
  /** In `afterModel`: one more step, after these messages. No tool of this step is executed. */
  readonly again: (messages?: Input) => void;
  /** In `beforeAgent`: replaces the input of the run. */
  readonly setInput: (messages: Input) => void;
  /**
   * In `beforeModel` and `afterModel`: asks the outside world. Returns the answer, or rejects to unwind to the core.
   */
  readonly interrupt: <S extends Schema>(request: InterruptRequest<S>) => Promise<SchemaOutput<S>>;
  /** Runs `fn` once for this hook of this step, also across interrupts and crashes. Its result is committed first. */
  readonly once: <T>(key: string, fn: () => T | Promise<T>) => Promise<T>;
}

/** The third argument of a wrap. `C` is the type of its chunks. */
export interface Scope<C = Chunk, Context = unknown> {
  readonly run: WrapRun<Context>;
  /** Passes a chunk outwards; undefined when nobody is listening. */
  readonly emit: Emit<C> | undefined;
  /** How often this layer has been entered, from 1; grows when an outer layer retries. */
  readonly attempt: number;
  readonly resumed: boolean;
  /** Aborted with the run, and when a layer outside has given this call up. */
  readonly signal: AbortSignal;
  /** Set on a model call that a plugin makes for itself. */
  readonly origin?: { readonly plugin: string; readonly purpose: string } | undefined;
  /** In a gate: that another gate has changed the call since this one saw it. */
  readonly edit?: Edit | undefined;
  /**
   * In a gate: the value that the tool gets, if its schema changes `call.input` (defaults, transforms). The gate's
   * questions and `once` results depend on it.
   */
  readonly output?: CallOutput | undefined;
  /** In a gate: what the tool says of itself and of the call, for those who are asked. */
  readonly display?: ToolDisplay | undefined;
  /** In a gate: the errors that a call would have if it were passed on; undefined if none. */
  readonly check?: ((call: Pick<ToolCall, 'name' | 'input'>) => Promise<string | undefined>) | undefined;
  /** In `wrapToolCall`: asks the outside world. Returns the answer, or rejects to unwind to the core. */
  readonly interrupt: <S extends Schema>(request: InterruptRequest<S>) => Promise<SchemaOutput<S>>;
  /** Runs `fn` once for this entry of the layer, also across interrupts and crashes. Its result is committed first. */
  readonly once: <T>(key: string, fn: () => T | Promise<T>) => Promise<T>;
  /**
   * Calls a callback, such as one from the plugin's options, within `hookTimeoutMs`, and returns its result. `what` names it in the error. @throws `HOOK_TIMEOUT`, or the reason of an abort
   */
  readonly inTime: <T>(what: string, fn: () => T | Promise<T>) => Promise<T>;
  /**
   * Calls a function that asks a person in this process, and returns its result. Their time causes no warning about a
   * slow plugin.
   */
  readonly asking: <T>(fn: () => T | Promise<T>) => Promise<T>;
  /** In `wrapModelCall`: replaces the session's messages together with the response, if the call succeeds. */
  readonly replaceMessages: (messages: readonly MessageInput[]) => void;
}

/** A run inside a wrap: it can be ended. */
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
  /** Lets several calls of `next` run at once; they get no `emit`. */
  readonly parallel?: boolean;
}

/** Enters the layers inside. May be called zero, one or many times, until the layer settles. */
export type Next<Request, Response, C> = (request: Request, options?: NextOptions<C>) => Promise<Response>;

export type ModelScope<Context = unknown> = Scope<Chunk, Context>;
export type ToolScope<Context = unknown> = Scope<JsonValue, Context>;
export type ModelNext = Next<ModelRequest, ModelResponse, Chunk>;
export type ToolNext = Next<ToolCall, ToolResult, JsonValue>;

/** The functions that the six hooks take. */
export interface HookFunctions<Context = unknown> {
  /** Once per run, before its first step; it may call `run.setInput`. */
  beforeAgent(run: Run<Context>): void | undefined | Promise<void | undefined>;
  /** Once per step. Returns the next request, or nothing. Its messages become the session's. */
  beforeModel(
    request: ModelRequest,
    run: Run<Context>,
  ): ModelRequest | void | undefined | Promise<ModelRequest | void | undefined>;
  /** Surrounds each model call: `next(request)` makes it. What is changed in the request holds for this call only. */
  wrapModelCall(
    request: ModelRequest,
    next: ModelNext,
    scope: ModelScope<Context>,
  ): ModelResponseInput | Promise<ModelResponseInput>;
  /** Once per step, inside out. Returns the next response, or nothing. */
  afterModel(
    response: CompleteResponse,
    run: Run<Context>,
  ): ModelResponseInput | void | undefined | Promise<ModelResponseInput | void | undefined>;
  /** Surrounds each tool call: `next(call)` makes it. */
  wrapToolCall(call: ToolCall, next: ToolNext, scope: ToolScope<Context>): ToolResult | Promise<ToolResult>;
  /** Once per run, inside out, whatever its outcome. Returns the next result, or nothing. */
  afterAgent(
    result: RunResult,
    run: Run<Context>,
  ): RunResult | void | undefined | Promise<RunResult | void | undefined>;
}

/** A response whose message has its id and whose tool calls have unique ids. */
export interface CompleteResponse extends ModelResponse {
  readonly message: Extract<Message, { role: 'assistant' }>;
}

/** Options of a tap. A string stands for `{ name }`. */
export interface TapOptions {
  /** A label for traces and errors; the plugin's id stands before it. */
  readonly name: string;
  /** The place of this tap, instead of its plugin's. */
  readonly priority?: number;
}

export interface WrapModelTapOptions extends TapOptions {
  /** If true, model calls made by plugins pass this tap too. Default: false. */
  readonly internal?: boolean;
}

export interface WrapToolTapOptions extends TapOptions {
  /** Makes the tap a gate: innermost, and asked about the call exactly as it would be executed. Default: false. */
  readonly gate?: boolean;
}

/** A tap as interceptors and `inspect` see it. */
export interface TapInfo {
  readonly plugin: string;
  /** The tap's own label. */
  readonly name: string;
  readonly hook: HookName;
  readonly priority: number;
  readonly gate: boolean;
  readonly internal: boolean;
  /** The place in the hook's order, from 0: tapable's stage. */
  readonly stage: number;
}

/** A tap of an agent, with the reason of its place. */
export interface LayerInfo extends TapInfo {
  readonly reason: PlaceReason;
}

/** Why a tap stands where it does. Gates are inside all other taps of `wrapToolCall`; among them the same rules hold. */
export interface PlaceReason {
  /** Who has given the priority: the tap itself, the entry in the list, the plugin; or nobody, and it is 25. */
  readonly priority: 'tap' | 'entry' | 'plugin' | 'default';
  /** The edge that has moved the tap away from where its priority puts it, and the plugin that it leads to. */
  readonly edge?: {
    readonly kind: 'outside' | 'inside';
    readonly target: string;
    readonly from: 'entry' | 'plugin';
  };
  /** The plugin just outside with the same priority: it is listed earlier, or has tapped the hook earlier itself. */
  readonly tie?: string;
}

/** Watches one passage through one tap. */
export interface TapObserver {
  /** An onion's layer has called `next` with this. */
  next?(value: unknown): void;
  /** The result of `next`. */
  back?(value: unknown, error?: unknown): void;
  /** The tap has settled. */
  done?(value: unknown, error?: unknown): void;
}

/**
 * tapable's interception: watches a hook without being in its order. A callback that throws fails the call, by name.
 */
export interface Interceptor {
  readonly name?: string;
  /** Each tap, once, and again whenever the order changes. It cannot replace the tap. */
  register?(tap: TapInfo): void;
  /** The hook is called with these arguments. */
  call?(...args: readonly unknown[]): void;
  /** A tap is about to run with this value. */
  tap?(
    tap: TapInfo,
    value: unknown,
    context: { readonly run: RunInfo; readonly scope?: Scope<never> },
  ): TapObserver | void;
  /** The hook has come to its end. */
  result?(value: unknown): void;
  error?(error: unknown): void;
}

interface HookBase {
  readonly name: HookName;
  intercept(interceptor: Interceptor): void;
  /** True if this plugin, or one that is already live, has tapped the hook. */
  isUsed(): boolean;
}

/** A hook as a plugin sees it. `tap` takes a function that may return a promise; `tapPromise` wants a promise. */
export interface Hook<
  Args extends readonly unknown[],
  Result,
  Options extends TapOptions = TapOptions,
> extends HookBase {
  tap(options: string | Options, fn: (...args: Args) => Result | Promise<Result>): void;
  tapPromise(options: string | Options, fn: (...args: Args) => Promise<Result>): void;
}

type HookOf<Fn extends (...args: never[]) => unknown, Options extends TapOptions = TapOptions> = Hook<
  Parameters<Fn>,
  Awaited<ReturnType<Fn>>,
  Options
>;

export interface Hooks<Context = unknown> {
  readonly beforeAgent: HookOf<HookFunctions<Context>['beforeAgent']>;
  readonly beforeModel: HookOf<HookFunctions<Context>['beforeModel']>;
  readonly wrapModelCall: HookOf<HookFunctions<Context>['wrapModelCall'], WrapModelTapOptions>;
  readonly afterModel: HookOf<HookFunctions<Context>['afterModel']>;
  readonly wrapToolCall: HookOf<HookFunctions<Context>['wrapToolCall'], WrapToolTapOptions>;
  readonly afterAgent: HookOf<HookFunctions<Context>['afterAgent']>;
}
