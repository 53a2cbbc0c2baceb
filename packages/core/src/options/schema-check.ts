import { readSchema } from '../base/json-schema/read-schema.ts';
import { jsonSchemaOf, validatorOf, type JsonSchema, type Validate } from '../base/schema.ts';

/** A plain JSON Schema that values are checked against. */
export interface SchemaCheck {
  readonly validate: Validate;
  /** A sentence for each part of the schema that is not checked, such as a pattern that cannot be run. */
  readonly unchecked: readonly string[];
}

/**
 * Reads a JSON Schema from outside. Returns a string with the reason if values cannot be checked against it. @throws
 * `VALUE_NOT_JSON` if it is not JSON
 */
export function schemaCheck(schema: JsonSchema): SchemaCheck | string {
  const json = jsonSchemaOf(schema, 'a check', 'TOOL_INVALID');
  const { faults, unchecked } = readSchema(json);
  if (faults.length > 0) return faults.slice(0, 5).join('; ');
  return { validate: validatorOf(json), unchecked };
}
