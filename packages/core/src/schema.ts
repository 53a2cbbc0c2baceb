import type { Schema as CfworkerSchema, OutputUnit, SchemaDraft, Validator } from '@cfworker/json-schema';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';

import { ShallotError, type ErrorCode } from './errors.ts';
import { freezeJson, type JsonObject, type JsonValue } from './json.ts';

/** A plain JSON Schema (2020-12 unless `$schema` says draft 4, 7 or 2019-09). */
export type JsonSchema = JsonObject;

/** A Standard Schema that also gives JSON Schema: zod 4, arktype, valibot through `@valibot/to-json-schema`. */
export type StandardSchemaWithJson<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output> &
  StandardJSONSchemaV1<Input, Output>;

/** What describes data that crosses the border to a model or a person: it can be checked, and it can be sent. */
export type Schema<Output = unknown> = StandardSchemaWithJson<unknown, Output> | JsonSchema;

/** The type of what a schema lets through. */
export type SchemaOutput<S> = S extends StandardSchemaV1<infer _Input, infer Output> ? Output : JsonValue;

/** The outcome of a check. `issues` is a text, one issue a line, each with its path. */
export type Validated =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: string };

export type Validate = (value: unknown) => Validated | Promise<Validated>;

export function isStandardSchema(schema: unknown): schema is StandardSchemaV1 {
  // arktype's schemas are functions.
  return (
    (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
  );
}

/** The JSON Schema of what a schema takes. @throws `code` when it cannot give one */
export function jsonSchemaOf(schema: Schema, label: string, code: ErrorCode): JsonSchema {
  if (!isStandardSchema(schema)) {
    if (typeof schema !== 'object' || schema === null) {
      throw new ShallotError(code, {
        message: `The schema of ${label} is of type ${typeof schema}; give a JSON Schema, or a schema of zod 4, arktype or valibot.`,
      });
    }
    freezeJson(schema, `the schema of ${label}`);
    return schema;
  }
  const converter = (schema as Partial<StandardJSONSchemaV1>)[
    '~standard'
  ] as Partial<StandardJSONSchemaV1.Props>;
  if (converter.jsonSchema === undefined) {
    throw new ShallotError(code, {
      message: `The schema of ${label} (${schema['~standard'].vendor}) gives no JSON Schema. Use zod 4 or arktype, wrap a valibot schema in toStandardJsonSchema of @valibot/to-json-schema, or write a plain JSON Schema.`,
    });
  }
  try {
    // A copy: that of zod can still be used as the schema it came from, and what is stored must be plain JSON.
    const json = { ...converter.jsonSchema.input({ target: 'draft-2020-12' }) };
    freezeJson(json, `the schema of ${label}`);
    return json;
  } catch (cause) {
    throw new ShallotError(code, {
      message: `The schema of ${label} cannot be written as JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    });
  }
}

/** A check against a schema. The validator for plain JSON Schemas is loaded at the first check. */
export function validatorOf(schema: Schema): Validate {
  if (isStandardSchema(schema)) {
    return (value) => {
      const result = schema['~standard'].validate(value);
      return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
    };
  }
  let validator: Validator | undefined;
  return (value) => {
    if (validator !== undefined) return checkJson(validator, value);
    return import('@cfworker/json-schema').then(({ Validator: JsonValidator }) => {
      // The validator writes into its schema, and ours is frozen.
      validator ??= new JsonValidator(structuredClone(schema) as CfworkerSchema, draftOf(schema), false);
      return checkJson(validator, value);
    });
  };
}

function fromStandard(result: StandardSchemaV1.Result<unknown>): Validated {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map(formatIssue).join('\n') };
}

function formatIssue(issue: StandardSchemaV1.Issue): string {
  const keys = (issue.path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment));
  return keys.length === 0 ? issue.message : `${keys.map(String).join('.')}: ${issue.message}`;
}

function checkJson(validator: Validator, value: unknown): Validated {
  const { valid, errors } = validator.validate(value);
  return valid
    ? { ok: true, value }
    : { ok: false, issues: errors.filter(isLeaf).map(formatUnit).join('\n') };
}

/** Errors that only say that something further in is wrong are left out. */
function isLeaf(unit: OutputUnit, _index: number, all: OutputUnit[]): boolean {
  return !all.some((other) => other !== unit && other.keywordLocation.startsWith(`${unit.keywordLocation}/`));
}

/** A message may list all values that an enum allows, and there may be thousands. */
const maxMessageLength = 1000;

function formatUnit({ instanceLocation, error }: OutputUnit): string {
  const path = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.');
  const said =
    error.length > maxMessageLength ? `${error.slice(0, maxMessageLength).toWellFormed()}…` : error;
  return path === '' ? said : `${path}: ${said}`;
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
