import type { Schema as CfworkerSchema, SchemaDraft, Validator } from '@cfworker/json-schema';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';

import type { ErrorCode } from './error-codes.ts';
import { ShallotError } from './errors.ts';
import { convertSchema } from './json-schema/convert-schema.ts';
import { issuesOfUnits } from './json-schema/issues-of-units.ts';
import { expectValidator } from './json-schema/load-validator.ts';
import { readSchema } from './json-schema/read-schema.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { frozenJson } from './json/frozen-json.ts';

/** A plain JSON Schema (2020-12 unless `$schema` says draft 4, 7 or 2019-09). */
export type JsonSchema = JsonObject;

/** A Standard Schema that also supplies JSON Schema: zod 4, arktype, or valibot through `@valibot/to-json-schema`. */
export type StandardSchemaWithJson<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output> &
  StandardJSONSchemaV1<Input, Output>;

/** A schema for data from a model or a person: it can validate values, and be sent to a model. */
export type Schema<Output = unknown> = StandardSchemaWithJson<unknown, Output> | JsonSchema;

/** A schema of effect. */
export interface EffectSchema<Output = unknown> {
  readonly '~effect/Schema/Schema': unknown;
  readonly Type: Output;
}

/** A JSON Schema created by TypeBox. */
export interface TypeBoxSchema {
  readonly '~kind': string;
}

/**
 * A schema that can be converted to JSON Schema, including those of zod mini, zod 3, valibot and effect through their
 * converters.
 */
export type AnySchema<Output = unknown> =
  | Schema<Output>
  | StandardSchemaV1<unknown, Output>
  | EffectSchema<Output>
  | TypeBoxSchema;

/** The type of a value after a schema has checked it. */
export type SchemaOutput<S> = S extends
  | StandardSchemaV1<infer _Input, infer Output>
  | EffectSchema<infer Output>
  ? Output
  : JsonValue;

/** The outcome of a check. `issues` lists one issue per line, each with its path. */
export type Validated =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: string };

export type Validate = (value: unknown) => Validated | Promise<Validated>;

/** A fault of a value, at a path inside it. */
export interface SchemaIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Keys of the value that the schema does not allow, if it reports them. */
  readonly keys?: readonly string[];
  /** True if the last key of the path is the fault, not its value. */
  readonly isKey?: boolean;
}

/** The outcome of a check, with separate issues. */
export type Inspected =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

type Inspect = (value: unknown) => Inspected | Promise<Inspected>;

export function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  // Schemas of arktype are functions.
  return (
    (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
  );
}

/**
 * Returns the schema, converted if it is of a library whose schemas supply no JSON Schema: those of zod mini, zod 3,
 * valibot and effect need a converter from the project. @throws `code` with the name of the missing converter
 */
export function describedSchema(schema: AnySchema, label: string, code: ErrorCode): Schema {
  const describes = isStandardSchema(schema) && 'jsonSchema' in schema['~standard'];
  const converted = describes ? undefined : convertSchema(schema);
  // A schema without JSON Schema and without a converter is rejected where its JSON Schema is needed.
  if (converted === undefined) return schema as Schema;
  if ('schema' in converted) return converted.schema;
  throw new ShallotError(code, {
    message: `The schema of ${label} gives JSON Schema only with the package ${converted.missing}, which is not installed. Install it, use zod 4 or arktype, or write a plain JSON Schema.`,
  });
}

/**
 * Returns the JSON Schema of a schema's input. @throws `code` if it cannot supply one, `VALUE_NOT_JSON` if a plain
 * schema is not JSON
 */
export function jsonSchemaOf(schema: Schema | StandardSchemaV1, label: string, code: ErrorCode): JsonSchema {
  if (!isStandardSchema(schema)) {
    if (typeof schema !== 'object' || schema === null) {
      throw new ShallotError(code, {
        message: `The schema of ${label} is of type ${typeof schema}; give a JSON Schema, or a schema of zod 4, arktype or valibot.`,
      });
    }
    return frozenJson(visibleCopy(schema, 0), `the schema of ${label}`) as JsonSchema;
  }
  const { jsonSchema }: Partial<StandardJSONSchemaV1.Props> = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new ShallotError(code, {
      message: `The schema of ${label} (${schema['~standard'].vendor}) does not provide a JSON Schema. Use zod 4 or arktype, wrap a valibot schema in toStandardJsonSchema of @valibot/to-json-schema, or write a plain JSON Schema.`,
    });
  }
  try {
    // Copied: the result of zod can still be used as a schema, and only plain JSON is stored.
    const json = { ...jsonSchema.input({ target: 'draft-2020-12' }) };
    return frozenJson(json, `the schema of ${label}`) as JsonSchema;
  } catch (cause) {
    throw new ShallotError(code, {
      message: `The schema of ${label} cannot be written as JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    });
  }
}

/** `frozenJson` rejects deeper nesting; a schema that contains itself has no end. */
const maxCopyDepth = 210;

/** Returns a copy without members that `JSON.stringify` omits; TypeBox marks its schemas with them. */
function visibleCopy(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > maxCopyDepth) return value;
  if (Array.isArray(value)) return value.map((each) => visibleCopy(each, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, visibleCopy(member, depth + 1)]),
  );
}

/** Returns the JSON Schema of a schema; undefined if it cannot supply one. */
export function findJsonSchema(schema: Schema | StandardSchemaV1): JsonSchema | undefined {
  try {
    return jsonSchemaOf(schema, 'a schema', 'OPTION_INVALID');
  } catch {
    // The schema cannot be written as JSON Schema.
    return undefined;
  }
}

/** Returns true if a value may be a JSON Schema that describes an object's keys. */
export function isJsonSchema(value: unknown): value is JsonSchema {
  if (typeof value !== 'object' || value === null || isStandardSchema(value)) return false;
  return ['type', 'properties', 'anyOf', 'oneOf', 'allOf', '$ref'].some((keyword) => keyword in value);
}

/** Returns a plain JSON Schema as a Standard Schema that also supplies JSON Schema. */
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

/** Returns a check against a schema that reports issues as text. */
export function validatorOf(schema: Schema): Validate {
  const inspect = inspectorOf(schema);
  return (value) => {
    const inspected = inspect(value);
    return inspected instanceof Promise ? inspected.then(inWords) : inWords(inspected);
  };
}

/**
 * Returns a check against a schema. Values that the fast check cannot confirm are passed to a validator, loaded on
 * first use.
 */
export function inspectorOf(schema: Schema | StandardSchemaV1): Inspect {
  if (isStandardSchema(schema)) {
    return (value) => {
      const result = schema['~standard'].validate(value);
      return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
    };
  }
  let check: Inspect | undefined;
  // Copied at once: the validator and the owner of the schema may write into it.
  const read = readSchema(schema);
  if (read.surelyFits === undefined) expectValidator();
  return (value) => {
    if (read.surelyFits?.(value) === true) return { ok: true, value };
    if (check !== undefined) return check(value);
    const [fault] = read.faults;
    // Callers reject such a schema earlier.
    if (fault !== undefined) throw new Error(fault);
    return import('@cfworker/json-schema').then(({ Validator: JsonValidator }) => {
      // Both validators write the same into the copy.
      const validators = [true, false].map(
        (stops) => new JsonValidator(read.schema as CfworkerSchema, draftOf(schema), stops),
      ) as [Validator, Validator];
      check ??= (each) => checkJson(validators, each, read.schema);
      return check(value);
    });
  };
}

/** The maximum number of issues in a message. */
const maxIssues = 20;

/** Formats issues, one per line, with the number of omitted ones: `limits.perDay: it is missing`. */
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
  // valibot reports an unknown key as the end of a path; zod reports several keys with their object.
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

/** Validates with a validator that stops at the first fault, then with one that finds all. */
function checkJson(
  [first, all]: readonly [Validator, Validator],
  value: unknown,
  schema: JsonSchema,
): Inspected {
  const { valid, errors } = first.validate(value);
  if (valid) return { ok: true, value };
  try {
    return { ok: false, issues: issuesOfUnits(all.validate(value).errors, schema) };
  } catch (error) {
    // With tens of thousands of issues the validator exceeds the call stack; only the first is reported then.
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, issues: issuesOfUnits(errors, schema) };
  }
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
