import type { Schema as CfworkerSchema, OutputUnit, SchemaDraft, Validator } from '@cfworker/json-schema';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';

import type { ErrorCode } from './error-codes.ts';
import { ShallotError } from './errors.ts';
import { convertSchema } from './json-schema/convert-schema.ts';
import { leafIssues } from './json-schema/leaf-issues.ts';
import { expectValidator } from './json-schema/load-validator.ts';
import { readSchema } from './json-schema/read-schema.ts';
import { freezeJson, type JsonObject, type JsonValue } from './json.ts';

/** A plain JSON Schema (2020-12 unless `$schema` says draft 4, 7 or 2019-09). */
export type JsonSchema = JsonObject;

/** A Standard Schema that also gives JSON Schema: zod 4, arktype, valibot through `@valibot/to-json-schema`. */
export type StandardSchemaWithJson<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output> &
  StandardJSONSchemaV1<Input, Output>;

/** What describes data that crosses the border to a model or a person: it can be checked, and it can be sent. */
export type Schema<Output = unknown> = StandardSchemaWithJson<unknown, Output> | JsonSchema;

/** A schema of effect. */
export interface EffectSchema<Output = unknown> {
  readonly '~effect/Schema/Schema': unknown;
  readonly Type: Output;
}

/** A JSON Schema that TypeBox made: its type names its members only. */
export interface TypeBoxSchema {
  readonly '~kind': string;
}

/**
 * A schema that can be described: also of zod mini, zod 3, valibot and effect, with the converters of these libraries.
 */
export type AnySchema<Output = unknown> =
  | Schema<Output>
  | StandardSchemaV1<unknown, Output>
  | EffectSchema<Output>
  | TypeBoxSchema;

/** The type of what a schema lets through. */
export type SchemaOutput<S> = S extends
  | StandardSchemaV1<infer _Input, infer Output>
  | EffectSchema<infer Output>
  ? Output
  : JsonValue;

/** The outcome of a check. `issues` is a text, one issue a line, each with its path. */
export type Validated =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: string };

export type Validate = (value: unknown) => Validated | Promise<Validated>;

/** One thing that a schema finds wrong with a value, at a path inside it. */
export interface SchemaIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Keys of the value at the path that the schema does not know, where it says so. */
  readonly keys?: readonly string[];
  /** Whether the schema says that the key at the end of the path is the fault. */
  readonly isKey?: boolean;
}

/** The outcome of a check, with the issues one by one. */
export type Inspected =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

type Inspect = (value: unknown) => Inspected | Promise<Inspected>;

export function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  // arktype's schemas are functions.
  return (
    (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
  );
}

/**
 * A schema that describes itself as JSON Schema: those of zod mini, zod 3, valibot and effect do it by a converter, which is
 * taken from the project. @throws `code` with the name of the converter that is missing
 */
export function describedSchema(schema: AnySchema, label: string, code: ErrorCode): Schema {
  const describes = isStandardSchema(schema) && 'jsonSchema' in schema['~standard'];
  const converted = describes ? undefined : convertSchema(schema);
  // What gives none and has no converter is refused by whoever asks for it.
  if (converted === undefined) return schema as Schema;
  if ('schema' in converted) return converted.schema;
  throw new ShallotError(code, {
    message: `The schema of ${label} gives JSON Schema only with the package ${converted.missing}, which is not installed. Install it, use zod 4 or arktype, or write a plain JSON Schema.`,
  });
}

/** The JSON Schema of what a schema takes. @throws `code` when it cannot give one */
export function jsonSchemaOf(schema: Schema | StandardSchemaV1, label: string, code: ErrorCode): JsonSchema {
  if (!isStandardSchema(schema)) {
    if (typeof schema !== 'object' || schema === null) {
      throw new ShallotError(code, {
        message: `The schema of ${label} is of type ${typeof schema}; give a JSON Schema, or a schema of zod 4, arktype or valibot.`,
      });
    }
    const json = visibleCopy(schema, 0);
    freezeJson(json, `the schema of ${label}`);
    // A copy of an object, of which JSON was just proved.
    return json as JsonSchema;
  }
  const { jsonSchema }: Partial<StandardJSONSchemaV1.Props> = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new ShallotError(code, {
      message: `The schema of ${label} (${schema['~standard'].vendor}) does not provide a JSON Schema. Use zod 4 or arktype, wrap a valibot schema in toStandardJsonSchema of @valibot/to-json-schema, or write a plain JSON Schema.`,
    });
  }
  try {
    // A copy: that of zod can still be used as the schema it came from, and what is stored must be plain JSON.
    const json = { ...jsonSchema.input({ target: 'draft-2020-12' }) };
    freezeJson(json, `the schema of ${label}`);
    return json;
  } catch (cause) {
    throw new ShallotError(code, {
      message: `The schema of ${label} cannot be written as JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    });
  }
}

/** Nesting beyond this is left for `freezeJson` to refuse; a schema that holds itself nests without end. */
const maxCopyDepth = 210;

/** A copy without members that `JSON.stringify` does not see: TypeBox marks its schemas with such. */
function visibleCopy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > maxCopyDepth) return value;
  if (Array.isArray(value)) return value.map((each) => visibleCopy(each, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, visibleCopy(member, depth + 1)]),
  );
}

/** The same where there is one; undefined for a schema that gives none. */
export function findJsonSchema(schema: Schema | StandardSchemaV1): JsonSchema | undefined {
  try {
    return jsonSchemaOf(schema, 'a schema', 'OPTION_INVALID');
  } catch {
    // It gives no JSON Schema; the reason is nobody's concern here.
    return undefined;
  }
}

/** Whether something can be a JSON Schema that describes an object's keys. */
export function isJsonSchema(value: unknown): value is JsonSchema {
  if (typeof value !== 'object' || value === null || isStandardSchema(value)) return false;
  return ['type', 'properties', 'anyOf', 'oneOf', 'allOf', '$ref'].some((keyword) => keyword in value);
}

/** A plain JSON Schema as a Standard Schema, which can be written as JSON Schema again. */
export function asStandardSchema(schema: JsonSchema): StandardSchemaWithJson {
  const json = jsonSchemaOf(schema, 'the options', 'PLUGIN_INVALID');
  const inspect = inspectorOf(json);
  return {
    '~standard': {
      version: 1,
      vendor: 'json-schema',
      validate: async (value) => {
        const inspected = await inspect(value);
        return inspected.ok ? { value: inspected.value } : { issues: inspected.issues };
      },
      jsonSchema: { input: () => ({ ...json }), output: () => ({ ...json }) },
    },
  };
}

/** A check against a schema, with its issues as a text. */
export function validatorOf(schema: Schema): Validate {
  const inspect = inspectorOf(schema);
  return (value) => {
    const inspected = inspect(value);
    return inspected instanceof Promise ? inspected.then(inWords) : inWords(inspected);
  };
}

/** A check against a schema. What is not plain to see is left to a validator, which is loaded when it is first needed. */
export function inspectorOf(schema: Schema | StandardSchemaV1): Inspect {
  if (isStandardSchema(schema)) {
    return (value) => {
      const result = schema['~standard'].validate(value);
      return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
    };
  }
  let check: Inspect | undefined;
  // A copy, made at once: the validator writes into it, and whoever gave the schema may.
  const read = readSchema(schema);
  if (read.surelyFits === undefined) expectValidator();
  return (value) => {
    if (read.surelyFits?.(value) === true) return { ok: true, value };
    if (check !== undefined) return check(value);
    const [fault] = read.faults;
    // Where a schema comes in, it is refused; here it would let nothing through.
    if (fault !== undefined) throw new Error(fault);
    return import('@cfworker/json-schema').then(({ Validator: JsonValidator }) => {
      // Both write into the copy, and both the same.
      const [first, all] = [true, false].map(
        (stops) => new JsonValidator(read.schema as CfworkerSchema, draftOf(schema), stops),
      ) as [Validator, Validator];
      check ??= (each) => checkJson(first, all, each);
      return check(value);
    });
  };
}

/** Whoever gets more issues than these reads none of them. */
const maxIssues = 20;

/** `limits.perDay: it is missing`, each issue on a line, and how many more there are. */
function inWords(inspected: Inspected): Validated {
  if (inspected.ok) return inspected;
  const { issues } = inspected;
  const lines = issues
    .slice(0, maxIssues)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
  const more = issues.length - lines.length;
  if (more > 0) lines.push(`… and ${more} more like these.`);
  return { ok: false, issues: lines.join('\n') };
}

function fromStandard(result: StandardSchemaV1.Result<unknown>): Inspected {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map(fromIssue) };
}

function fromIssue({ message, path = [], ...more }: StandardSchemaV1.Issue): SchemaIssue {
  const keys = path
    .map((segment) => (typeof segment === 'object' ? segment.key : segment))
    .map((key) => (typeof key === 'number' ? key : String(key)));
  // valibot reports a key that it does not know as the end of a path, zod several with the object that has them.
  const last = path.at(-1);
  const isKey = typeof last === 'object' && 'origin' in last && last.origin === 'key';
  const { keys: unknown } = more as { readonly keys?: unknown };
  return {
    path: keys,
    message,
    ...(isKey ? { isKey } : {}),
    ...(Array.isArray(unknown) ? { keys: unknown.map(String) } : {}),
  };
}

/** By a validator that stops at the first fault, and by one that finds them all. */
function checkJson(first: Validator, all: Validator, value: unknown): Inspected {
  const { valid, errors } = first.validate(value);
  if (valid) return { ok: true, value };
  try {
    return { ok: false, issues: leafIssues(all.validate(value).errors).map(fromUnit) };
  } catch (error) {
    // Of more than some tens of thousands, it can only say the first.
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, issues: leafIssues(errors).map(fromUnit) };
  }
}

/** A message may list all values that an enum allows, and there may be thousands. */
const maxMessageLength = 1000;

function fromUnit({ instanceLocation, keyword, error }: OutputUnit): SchemaIssue {
  const message =
    error.length > maxMessageLength ? `${error.slice(0, maxMessageLength).toWellFormed()}…` : error;
  const key = keyword === 'additionalProperties' ? /^Property "(.*)" does not/s.exec(error)?.[1] : undefined;
  return { path: segmentsOf(instanceLocation), message, ...(key === undefined ? {} : { keys: [key] }) };
}

/** The keys of a JSON pointer; those of a list cannot be told from those of an object. */
function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'));
}

const drafts: readonly (readonly [string, SchemaDraft])[] = [
  ['draft-04', '4'],
  ['draft-07', '7'],
  ['2019-09', '2019-09'],
];

function draftOf(schema: JsonSchema): SchemaDraft {
  const named = schema['$schema'];
  if (typeof named !== 'string') return '2020-12';
  return drafts.find(([part]) => named.includes(part))?.[1] ?? '2020-12';
}
