import { readSchema } from '../base/json-schema/read-schema.ts';
import { jsonSchemaOf, validatorOf, type JsonSchema, type Validate } from '../base/schema.ts';

/** A plain JSON Schema that values are checked against. */
export interface SchemaCheck {
  readonly validate: Validate;
  /** What of the schema is not checked, patterns that cannot be run for instance: a sentence each. */
  readonly unchecked: readonly string[];
}

/** Reads a JSON Schema that somebody else wrote; a string says why no value can be checked against it. */
export function schemaCheck(schema: JsonSchema): SchemaCheck | string {
  const json = jsonSchemaOf(schema, 'a check', 'TOOL_INVALID');
  const { faults, unchecked } = readSchema(json);
  if (faults.length > 0) return faults.slice(0, 5).join('; ');
  return { validate: validatorOf(json), unchecked };
}
