import { isJsonList, isJsonObject, type JsonObject } from '../../base/json.ts';
import { shapeSchema } from '../../options/option-shape.ts';
import { configKeys } from './config-keys.ts';

/** The JSON Schema of a config file, for editors: draft 7, which all of them know. */
export function configJsonSchema(): JsonObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'The config of a Shallot agent',
    ...inside(shapeSchema(configKeys)),
    definitions: { reference },
  };
}

const reference: JsonObject = {
  description: 'A value from the environment.',
  type: 'object',
  properties: {
    $env: { type: 'string', pattern: '.', description: 'The name of a variable.' },
    default: { description: 'The value to use if the variable is not set or empty.' },
  },
  required: ['$env'],
  additionalProperties: false,
};

/** Of any value, the environment may give it instead. */
function orReference(schema: JsonObject): JsonObject {
  const { description, default: fallback, ...kind }: JsonObject = inside(schema);
  const kinds = isJsonList(kind.anyOf) ? kind.anyOf : [kind];
  return {
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(Object.keys(kind).length === 0 ? {} : { anyOf: [...kinds, { $ref: '#/definitions/reference' }] }),
  };
}

/** The same for what a value holds, but not for the value itself. */
function inside(schema: JsonObject): JsonObject {
  const { properties, items, additionalProperties, anyOf } = schema;
  return {
    ...schema,
    ...(isJsonObject(properties) && { properties: eachOf(properties) }),
    ...(isJsonObject(items) && { items: orReference(items) }),
    ...(isJsonObject(additionalProperties) && { additionalProperties: orReference(additionalProperties) }),
    ...(isJsonList(anyOf) && { anyOf: anyOf.map((kind) => (isJsonObject(kind) ? inside(kind) : kind)) }),
  };
}

function eachOf(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isJsonObject(schema) ? orReference(schema) : schema,
    ]),
  );
}
