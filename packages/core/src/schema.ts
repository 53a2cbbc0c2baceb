import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonObject, JsonValue } from './json.ts';

/** A plain JSON Schema (2020-12 unless `$schema` says draft 4, 7 or 2019-09). */
export type JsonSchema = JsonObject;

/** A Standard Schema that also gives JSON Schema: zod 4, valibot with `toStandardJsonSchema`, arktype. */
export type StandardSchemaWithJson<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output> &
  StandardJSONSchemaV1<Input, Output>;

/** What describes data that crosses the border to a model or a person: it must be both checkable and sendable. */
export type Schema<Output = unknown> = StandardSchemaWithJson<unknown, Output> | JsonSchema;

/** The type of what a schema lets through. */
export type SchemaOutput<S> = S extends StandardSchemaV1<unknown, infer Output> ? Output : JsonValue;
