import type { StandardSchemaV1 } from '@standard-schema/spec';

import type { CallAddress } from '../base/address.ts';
import { atCaller } from '../base/at-caller.ts';
import { showValue } from '../base/describe-value.ts';
import { ShallotError } from '../base/errors.ts';
import { readSchema } from '../base/json-schema/read-schema.ts';
import type { JsonObject, JsonPrimitive, JsonValue } from '../base/json.ts';
import { nearest } from '../base/nearest.ts';
import {
  describedSchema,
  isStandardSchema,
  jsonSchemaOf,
  validatorOf,
  type AnySchema,
  type EffectSchema,
  type JsonSchema,
  type Schema,
  type SchemaOutput,
  type Validate,
} from '../base/schema.ts';
import type { Files } from '../files/files.ts';
import type { Logger } from '../log/logger.ts';
import type { InterruptRequest } from './interrupt.ts';
import type { Denial, FilePart, TextPart } from './messages.ts';
import type { RunInfo } from './run-info.ts';
import { toolKinds, type ToolEffect, type ToolKind, type ToolLocation } from './tool-display.ts';

/** A tool call, as the model made it or as a layer changed it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON: in this form they are shown, edited and stored, and identify questions about the call. */
  readonly input: JsonValue;
  /** The argument text as the model wrote it, if it was not valid JSON. */
  readonly raw?: string;
  /** The index among the calls of its step. */
  readonly index: number;
  /**
   * Data from layers for inner layers, gates and the tool: JSON with a key per plugin. It is neither stored nor part of
   * an approval; layers set it again when they are entered again.
   */
  readonly metadata?: JsonObject;
}

/** The result of a tool call. */
export interface ToolResult {
  /** The content that the model sees. */
  readonly content: readonly (TextPart | FilePart)[];
  /** The result as JSON, for programs. */
  readonly data?: JsonValue;
  readonly isError?: boolean;
  readonly denied?: Denial;
  /** The thrown value. A layer may omit it from the result that it returns; it is never stored. */
  readonly error?: unknown;
  /** Data from the tool, gates and layers for outer layers: JSON with a key per plugin. The message keeps it. */
  readonly metadata?: JsonObject;
}

/** A result as tools, layers and gates return it: its content may be a string. */
export type ToolResultInput = Omit<ToolResult, 'content'> & {
  readonly content: string | ToolResult['content'];
};

/**
 * The return value of `execute`: a string, JSON, or a result whose `content` is a string or parts. `undefined` means a
 * result without content.
 * Objects are converted as by `JSON.stringify`; if that fails, the model is told that the call was executed, and that
 * its result cannot be shown.
 */
export type ToolOutput = JsonPrimitive | ToolResultInput | object | undefined | void;

/** The type of the arguments of `execute`. A plain JSON Schema allows only objects, with any members. */
export type ToolArguments<S> = S extends StandardSchemaV1 | EffectSchema ? SchemaOutput<S> : JsonObject;

/**
 * The context of an execution. Its members `child` and `children` are declared beside `RunChild`, because their types
 * depend on models.
 */
export interface ToolContext<Context = unknown> {
  readonly call: ToolCall;
  readonly run: RunInfo<Context>;
  /** The place of the call in the tree of runs. */
  readonly address: CallAddress;
  /** Aborted with the run, or when a layer or gate abandons this call. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly files: Files;
  /**
   * The maximum size of a result, in tokens, that this agent's model gets whole: a larger result becomes a file, unless
   * its tool says otherwise. Tools that return pages keep each page below it.
   */
  readonly maxResultTokens: number;
  /**
   * Derived from session, run, call, input and the ordinal of the execution: equal when an execution is repeated after
   * a crash or a transient failure; different for every other execution, run, and recreated session.
   */
  readonly idempotencyKey: string;
  /**
   * The number of this run's claim on its session; later claims have larger ones, in any store. A database that stores
   * the largest one per session can reject writes of a process that was suspended too long.
   */
  readonly fence: number;
  /** Emits progress as JSON on the stream; it is not stored. @throws `VALUE_NOT_JSON` */
  readonly progress: (data: unknown) => void | Promise<void>;
  /** Asks a person or another program a question; see `Scope.interrupt`. */
  readonly interrupt: <S extends Schema>(request: InterruptRequest<S>) => Promise<SchemaOutput<S>>;
  /**
   * Runs `fn` once for this call, even if the run is interrupted or crashes. The result is committed before it is
   * returned.
   */
  readonly once: <T>(key: string, fn: () => T | Promise<T>) => Promise<T>;
}

/** A tool as it is described to `defineTool`. */
export interface ToolDefinition<S extends AnySchema = Schema, Context = unknown> {
  /** 1 to 64 letters, digits, `_` and `-`, as accepted by every provider. */
  readonly name: string;
  readonly description: string;
  readonly input: S;
  /** True if the result ends the run as its answer. Default: false. */
  readonly returnDirectly?: boolean;
  /** Default: `write`. */
  readonly effect?: ToolEffect;
  /**
   * The maximum size of a result, in tokens, that the model gets whole. A larger result becomes a file of the session,
   * and the model gets its head, its tail and its path. `Infinity`: always whole. Default: the agent's; `Infinity` with
   * `returnDirectly`.
   */
  readonly maxResultTokens?: number;
  /**
   * True if the tool reads the file that its argument `path` names: models read results that became files with it.
   * Default: false.
   */
  readonly readsFiles?: boolean;
  /** The name for people, such as `Read a file`. Models do not see it. */
  readonly title?: string;
  /** For clients that show calls; it has no other effect. */
  readonly kind?: ToolKind;
  /**
   * Returns the locations that a call touches, from its arguments only. It is called before the execution, possibly
   * several times, and only with valid arguments.
   */
  locations?(args: ToolArguments<S>): readonly ToolLocation[];
  /** Executes the tool. An async generator yields progress, and returns the result. */
  execute(
    args: ToolArguments<S>,
    context: ToolContext<Context>,
  ): ToolOutput | Promise<ToolOutput> | AsyncGenerator<unknown, ToolOutput, void>;
}

const brand = Symbol.for('shallot.tool');

/** A tool ready for use: the result of `defineTool`, and an entry of a request's `tools`. */
export interface Tool {
  readonly [brand]: true;
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the arguments, created once. */
  readonly inputSchema: JsonSchema;
  readonly returnDirectly: boolean;
  readonly effect: ToolEffect;
  readonly maxResultTokens?: number;
  readonly readsFiles?: boolean;
  readonly title?: string;
  readonly kind?: ToolKind;
  /** `args` is the output of `validate`. */
  readonly locations?: (args: unknown) => readonly ToolLocation[];
  /** Validates arguments: returns the output, or the errors. */
  readonly validate: Validate;
  /** Parts of its schema that are not validated, such as unsupported patterns: a sentence each. */
  readonly unchecked?: readonly string[];
  execute(
    args: unknown,
    context: ToolContext,
  ): ToolOutput | Promise<ToolOutput> | AsyncGenerator<unknown, ToolOutput, void>;
}

/** Names that all providers accept. */
export const toolName = /^[A-Za-z0-9_-]{1,64}$/;
const definitionKeys: ReadonlySet<string> = new Set([
  'name',
  'description',
  'input',
  'returnDirectly',
  'effect',
  'maxResultTokens',
  'readsFiles',
  'title',
  'kind',
  'locations',
  'background',
  'execute',
] satisfies (keyof ToolDefinition)[]);
const madeKeys: ReadonlySet<string> = new Set([
  'inputSchema',
  'validate',
  'unchecked',
] satisfies (keyof Tool)[]);
const effects: ReadonlySet<unknown> = new Set(['read', 'idempotent', 'write', undefined]);
const kinds: ReadonlySet<unknown> = new Set([...toolKinds, undefined]);

/** Defines a tool. @throws `TOOL_INVALID`, or `VALUE_NOT_JSON` if its input schema is not JSON */
export function defineTool<S extends AnySchema, Context = unknown>(
  definition: ToolDefinition<S, Context>,
): Tool {
  return atCaller(defineTool, () => makeTool(definition));
}

/** @throws `TOOL_INVALID` */
function makeTool<S extends AnySchema, Context>(definition: ToolDefinition<S, Context>): Tool {
  const { name, description, input, effect = 'write', returnDirectly = false } = definition;
  const { title, kind, maxResultTokens, readsFiles, background } = definition;
  if (typeof name !== 'string' || !toolName.test(name)) {
    throw invalid(name, `its name is ${JSON.stringify(name)}; use 1 to 64 letters, digits, "_" and "-"`);
  }
  // Members of a defined tool are accepted, so that a tool can be spread into a new definition.
  const unknown = Object.keys(definition).find((key) => !definitionKeys.has(key) && !madeKeys.has(key));
  if (unknown !== undefined) {
    const near = nearest(unknown, [...definitionKeys]);
    throw invalid(
      name,
      `it has the unknown key "${unknown}"${near === undefined ? '' : ` (did you mean "${near}"?)`}`,
    );
  }
  if (typeof description !== 'string') throw invalid(name, 'its description is missing; the model needs one');
  if (typeof definition.execute !== 'function') throw invalid(name, 'it has no execute function');
  if (!effects.has(effect)) {
    throw invalid(name, `its effect is ${JSON.stringify(effect)}; write read, idempotent or write`);
  }
  if (maxResultTokens !== undefined && !(maxResultTokens > 0)) {
    throw invalid(
      name,
      `its maxResultTokens is ${showValue(maxResultTokens)}; write a number of tokens above 0, or Infinity`,
    );
  }
  checkDisplay(definition);
  const schema = describedSchema(input, `the input of ${name}`, 'TOOL_INVALID');
  const inputSchema = jsonSchemaOf(schema, `the input of ${name}`, 'TOOL_INVALID');
  if (inputSchema['type'] !== 'object') throw invalid(name, rootFault(inputSchema));
  const { faults, unchecked } = isStandardSchema(schema) ? allChecked : readSchema(inputSchema);
  if (faults.length > 0)
    throw invalid(name, `its input schema cannot be used: ${faults.slice(0, 5).join('; ')}`);
  return Object.freeze({
    [brand]: true as const,
    name,
    description,
    inputSchema,
    returnDirectly,
    effect,
    ...(maxResultTokens === undefined ? {} : { maxResultTokens }),
    ...(readsFiles === true ? { readsFiles } : {}),
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    ...(background === undefined ? {} : { background }),
    // The argument is the output of `validate`.
    ...(definition.locations === undefined
      ? {}
      : { locations: definition.locations.bind(definition) as NonNullable<Tool['locations']> }),
    validate: validatorOf(isStandardSchema(schema) ? schema : inputSchema),
    ...(unchecked.length === 0 ? {} : { unchecked }),
    // `args` is the output of `validate`, and the context is that of the run.
    execute: definition.execute.bind(definition),
  });
}

/** @throws `TOOL_INVALID` */
function checkDisplay(
  definition: Pick<ToolDefinition, 'name' | 'title' | 'kind'> & { locations?: unknown },
): void {
  const { name, title, kind, locations } = definition;
  if (title !== undefined && (typeof title !== 'string' || title.trim() === ''))
    throw invalid(name, `its title is ${JSON.stringify(title)}; write a name for people, or leave it out`);
  if (!kinds.has(kind))
    throw invalid(name, `its kind is ${JSON.stringify(kind)}; write one of ${toolKinds.join(', ')}`);
  if (locations !== undefined && typeof locations !== 'function')
    throw invalid(
      name,
      'its locations is no function; return the places that a call touches: (args) => [{ path: args.path }]',
    );
}

/** A Standard Schema validates everything itself. */
const allChecked = { faults: [], unchecked: [] };

/** Describes a schema whose root is not an object. Providers require an object at the root, and check only its type. */
function rootFault(schema: JsonSchema): string {
  const union = ['oneOf', 'anyOf', 'allOf', '$ref'].find((keyword) => keyword in schema);
  if (union === undefined || 'type' in schema)
    return `the type of its input is ${JSON.stringify(schema['type'])}; it must be "object". Make it a member of an object, for example { items: … }`;
  const what = union === '$ref' ? 'a reference' : union === 'allOf' ? 'an intersection' : 'a union';
  return `its input is ${what} at its root (${union}), and models are given objects only. Make it a member of an object, for example { action: … }, or write one object with optional members`;
}

/** The server that executes a tool, and the tool's name there. */
export interface ServerTool {
  readonly server: string;
  readonly name: string;
}

/** Returns true for a defined tool, created by any copy of the core. */
export function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && brand in value;
}

function invalid(tool: string, what: string): ShallotError {
  return new ShallotError('TOOL_INVALID', { message: `The tool "${tool}" is not valid: ${what}.` });
}

export interface AddToolOptions {
  /**
   * If false, requests contain the tool only if a layer adds it, and its name may equal that of another plugin's tool.
   * Default: true.
   */
  readonly offered?: boolean;
}
