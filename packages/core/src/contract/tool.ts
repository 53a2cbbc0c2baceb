import type { StandardSchemaV1 } from '@standard-schema/spec';

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

/** One call of a tool, as a model asked for it or as a layer changed it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON, as shown, digested, edited and stored. */
  readonly input: JsonValue;
  /** The argument text as the model wrote it, when that was not JSON. */
  readonly raw?: string;
  /** The position among the calls of its step, from 0. */
  readonly index: number;
  /**
   * Data from layers for inner layers, gates and the tool: JSON with a key per plugin. It is not stored and not part of
   * an approval; layers that are entered again set it again.
   */
  readonly metadata?: JsonObject;
}

/** The result of a tool call. */
export interface ToolResult {
  /** The content that the model sees. */
  readonly content: readonly (TextPart | FilePart)[];
  /** The same for programs. */
  readonly data?: JsonValue;
  readonly isError?: boolean;
  readonly denied?: Denial;
  /** The value that was thrown. A layer may leave it out of the result that it returns; it is never stored. */
  readonly error?: unknown;
  /** Data from the tool, gates and layers for outer layers: JSON with a key per plugin. The message keeps it. */
  readonly metadata?: JsonObject;
}

/**
 * The return value of `execute`: a string, JSON, or a result with content parts. `undefined` means an empty string. Any
 * object will do for the compiler, so that interfaces do; one that is not JSON is an error of the tool,
 * `VALUE_NOT_JSON`.
 */
export type ToolOutput = JsonPrimitive | ToolResult | object | undefined | void;

/** The type of the arguments that `execute` gets. A plain JSON Schema lets through objects only, of any members. */
export type ToolArguments<S> = S extends StandardSchemaV1 | EffectSchema ? SchemaOutput<S> : JsonObject;

/** The circumstances of an execution. */
export interface ToolContext<Context = unknown> {
  readonly call: ToolCall;
  readonly run: RunInfo<Context>;
  /** Aborted when the run is, and when a layer has given this call up. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly files: Files;
  /** The same for every repetition of this call, after a crash or by a retry; made of session, call and input. */
  readonly idempotencyKey: string;
  /** Reports progress, as JSON, to consumers of the stream; it is not stored. @throws `VALUE_NOT_JSON` */
  readonly progress: (data: unknown) => void | Promise<void>;
  /** Asks the outside world; see `Scope.interrupt`. */
  readonly interrupt: <S extends Schema>(request: InterruptRequest<S>) => Promise<SchemaOutput<S>>;
  /** Runs `fn` once for this call, also across interrupts and crashes; its result is committed before it is returned. */
  readonly once: <T>(key: string, fn: () => T | Promise<T>) => Promise<T>;
}

/** A tool as it is described to `defineTool`. */
export interface ToolDefinition<S extends AnySchema = Schema, Context = unknown> {
  /** 1 to 64 letters, digits, `_` and `-`, as accepted by every provider. */
  readonly name: string;
  readonly description: string;
  readonly input: S;
  /** The result ends the run as its answer. Default: false. */
  readonly returnDirectly?: boolean;
  /** Default: `write`. */
  readonly effect?: ToolEffect;
  /** Its name for people: `Read a file`. Models do not see it. */
  readonly title?: string;
  /** For those who show calls; it decides nothing. */
  readonly kind?: ToolKind;
  /**
   * Returns the places that a call touches, without looking at anything but its arguments. It is called before the call
   * is executed, perhaps several times, and not for arguments that the schema refuses.
   */
  locations?(args: ToolArguments<S>): readonly ToolLocation[];
  /** An async generator yields progress, and returns the result. */
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
  /** Made once. */
  readonly inputSchema: JsonSchema;
  readonly returnDirectly: boolean;
  readonly effect: ToolEffect;
  readonly title?: string;
  readonly kind?: ToolKind;
  /** `args` is what `validate` let through. */
  readonly locations?: (args: unknown) => readonly ToolLocation[];
  /** Checks arguments: returns their validated form, or the errors. */
  readonly validate: Validate;
  /** What its schema says that is not checked, patterns that cannot be run for instance: a sentence each. */
  readonly unchecked?: readonly string[];
  execute(
    args: unknown,
    context: ToolContext,
  ): ToolOutput | Promise<ToolOutput> | AsyncGenerator<unknown, ToolOutput, void>;
}

/** Names that all providers take. */
export const toolName = /^[A-Za-z0-9_-]{1,64}$/;
const definitionKeys: ReadonlySet<string> = new Set([
  'name',
  'description',
  'input',
  'returnDirectly',
  'effect',
  'title',
  'kind',
  'locations',
  'execute',
] satisfies (keyof ToolDefinition)[]);
const madeKeys: ReadonlySet<string> = new Set([
  'inputSchema',
  'validate',
  'unchecked',
] satisfies (keyof Tool)[]);
const effects: ReadonlySet<unknown> = new Set(['read', 'idempotent', 'write', undefined]);
const kinds: ReadonlySet<unknown> = new Set([...toolKinds, undefined]);

/** Defines a tool. @throws `TOOL_INVALID` */
export function defineTool<S extends AnySchema, Context = unknown>(
  definition: ToolDefinition<S, Context>,
): Tool {
  const { name, description, input, effect = 'write', returnDirectly = false } = definition;
  const { title, kind } = definition;
  if (typeof name !== 'string' || !toolName.test(name)) {
    throw invalid(name, `its name is ${JSON.stringify(name)}; use 1 to 64 letters, digits, "_" and "-"`);
  }
  // A tool may be spread to define one like it: what it was made into is made anew.
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
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    // What it is given is what `validate` let through.
    ...(definition.locations === undefined
      ? {}
      : { locations: definition.locations.bind(definition) as NonNullable<Tool['locations']> }),
    validate: validatorOf(isStandardSchema(schema) ? schema : inputSchema),
    ...(unchecked.length === 0 ? {} : { unchecked }),
    // `args` is what `validate` let through, and the context is that of the run.
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

/** A Standard Schema checks everything itself. */
const allChecked = { faults: [], unchecked: [] };

/** Providers want an object, and look at nothing but the type. */
function rootFault(schema: JsonSchema): string {
  const union = ['oneOf', 'anyOf', 'allOf', '$ref'].find((keyword) => keyword in schema);
  if (union === undefined || 'type' in schema)
    return `the type of its input is ${JSON.stringify(schema['type'])}; it must be "object". Make it a member of an object, for example { items: … }`;
  const what = union === '$ref' ? 'a reference' : union === 'allOf' ? 'an intersection' : 'a union';
  return `its input is ${what} at its root (${union}), and models are given objects only. Make it a member of an object, for example { action: … }, or write one object with optional members`;
}

/** Tests for a result of `defineTool`, of any copy of the core. */
export function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && brand in value;
}

function invalid(tool: string, what: string): ShallotError {
  return new ShallotError('TOOL_INVALID', { message: `The tool "${tool}" is not valid: ${what}.` });
}

export interface AddToolOptions {
  /**
   * If false, the tool is in no request until a layer adds it, and it may share its name with another plugin's tool.
   * Default: true.
   */
  readonly offered?: boolean;
}
