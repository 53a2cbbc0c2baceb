import type { Files } from './files/files.ts';
import type { InterruptRequest } from './interrupt.ts';
import type { JsonValue } from './json.ts';
import type { Logger } from './logger.ts';
import type { Denial, FilePart, TextPart } from './messages.ts';
import type { RunInfo } from './run-info.ts';
import type { JsonSchema, Schema, SchemaOutput } from './schema.ts';

/** One call of a tool, as a model asked for it or as a layer changed it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON: what is shown, digested, edited and stored. */
  readonly input: JsonValue;
  /** The argument text as the model wrote it, when that was not JSON. */
  readonly raw?: string;
  /** The position among the calls of its step, from 0. */
  readonly index: number;
}

/** What became of a tool call. */
export interface ToolResult {
  /** What the model sees. */
  readonly content: readonly (TextPart | FilePart)[];
  /** The same for programs. */
  readonly data?: JsonValue;
  readonly isError?: boolean;
  readonly denied?: Denial;
  /** The value that was thrown. A layer may delete it; it is never stored. */
  readonly error?: unknown;
}

/**
 * Whether a call may be repeated when it is not known if an earlier one took effect (the process died): `read` has no
 * effect, `idempotent` has the same effect once or twice, `write` is never repeated unasked.
 */
export type ToolEffect = 'read' | 'idempotent' | 'write';

/** What `execute` may return: text, JSON, or a result with content parts. `undefined` stands for empty text. */
export type ToolOutput = JsonValue | ToolResult | undefined | void;

/** The circumstances of an execution. */
export interface ToolContext<Context = unknown> {
  readonly call: ToolCall;
  readonly run: RunInfo<Context>;
  /** Aborted when the run is, and when a layer has given this call up. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly files: Files;
  /** The same for every repetition of this call after a crash; made of session, call and input. */
  readonly idempotencyKey: string;
  /** Shows progress to whoever follows the run; nothing of it is stored. */
  progress(data: JsonValue): void | Promise<void>;
  /** Asks the outside world; see `Scope.interrupt`. */
  interrupt<S extends Schema>(request: InterruptRequest<S>): Promise<SchemaOutput<S>>;
  /** Runs `fn` once for this call, also across interrupts and crashes; its result is committed before it is returned. */
  once<T extends JsonValue>(key: string, fn: () => T | Promise<T>): Promise<T>;
}

/** A tool as it is described to `defineTool`. */
export interface ToolDefinition<S extends Schema = Schema, Context = unknown> {
  /** 1 to 64 letters, digits, `_` and `-`: what every provider takes. */
  readonly name: string;
  readonly description: string;
  readonly input: S;
  /** The result ends the run as its answer. Default: false. */
  readonly returnDirectly?: boolean;
  /** Default: `write`. */
  readonly effect?: ToolEffect;
  /** An async generator yields progress, and returns the result. */
  execute(
    args: SchemaOutput<S>,
    context: ToolContext<Context>,
  ): ToolOutput | Promise<ToolOutput> | AsyncGenerator<JsonValue, ToolOutput, void>;
}

/** A tool ready for use: what `defineTool` gives, and what a request holds. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** Made once. */
  readonly inputSchema: JsonSchema;
  readonly returnDirectly: boolean;
  readonly effect: ToolEffect;
  /** Checks arguments: their validated form, or what is wrong with them. */
  validate(input: JsonValue): Validated | Promise<Validated>;
  execute(
    args: unknown,
    context: ToolContext,
  ): ToolOutput | Promise<ToolOutput> | AsyncGenerator<JsonValue, ToolOutput, void>;
}

/** The outcome of checking a value against a schema. `issues` is a text, one issue a line, with paths. */
export type Validated = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: string };
