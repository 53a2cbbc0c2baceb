import type { JsonObject, JsonValue } from '@shallot/core';

import { isJsonObject } from '../../../src/sdk/metadata.ts';
import type { VendorRule } from './vendor-rule.ts';

const source = 'https://developers.openai.com/api/docs/guides/structured-outputs';
const maxCharacters = 120_000;
const maxEnumCharacters = 15_000;

const closed = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/**
 * Returns the rules of OpenAI's strict mode. `schemaOf` finds the strict schema of a request, and `asking` makes a
 * request with a schema.
 */
export function strictSchemaRules(
  schemaOf: (body: JsonObject) => JsonValue | undefined,
  asking: (schema: JsonObject) => JsonObject,
): readonly VendorRule[] {
  const rule = (
    message: string,
    isRefused: (nodes: readonly Node[]) => boolean,
    example: JsonObject,
  ): VendorRule => ({
    message: `Invalid schema for response_format: ${message}`,
    source,
    isBroken: (body) => isRefused(nodesOf(schemaOf(body), 0)),
    example: asking(example),
  });
  return [
    rule(
      "'additionalProperties' is required to be supplied and to be false, and 'required' to name every key.",
      (nodes) => nodes.some(({ schema }) => isOpen(schema)),
      { type: 'object', properties: { days: { type: 'number' } }, required: [] },
    ),
    rule(
      'expected at most 5,000 object properties and 10 levels of nesting.',
      (nodes) =>
        nodes.reduce((sum, { schema }) => sum + keysOf(schema, 'properties').length, 0) > 5000 ||
        nodes.some(({ depth }) => depth > 10),
      Array.from({ length: 11 }).reduce<JsonObject>((inner) => closed({ inner }), { type: 'number' }),
    ),
    rule(
      'expected at most 1,000 enum values.',
      (nodes) => nodes.reduce((sum, { schema }) => sum + enumOf(schema).length, 0) > 1000,
      closed({ hive: { type: 'number', enum: Array.from({ length: 1001 }, (_, index) => index) } }),
    ),
    rule(
      `expected at most ${maxEnumCharacters} characters in an enum of more than 250 values.`,
      (nodes) =>
        nodes.some(
          ({ schema }) => enumOf(schema).length > 250 && enumOf(schema).join('').length > maxEnumCharacters,
        ),
      closed({
        hive: { type: 'string', enum: Array.from({ length: 300 }, (_, index) => `${index}`.padEnd(60, 'x')) },
      }),
    ),
    rule(
      `expected at most ${maxCharacters} characters in names and values.`,
      (nodes) => nodes.flatMap(({ schema }) => wordsOf(schema)).join('').length > maxCharacters,
      closed({ ['x'.repeat(maxCharacters + 1)]: { type: 'number' } }),
    ),
  ];
}

interface Node {
  readonly schema: JsonObject;
  readonly depth: number;
}

function nodesOf(schema: JsonValue | undefined, depth: number): readonly Node[] {
  if (!isJsonObject(schema)) return [];
  const { properties, items, anyOf, $defs } = schema;
  const members = (isJsonObject(properties) ? Object.values(properties) : []).flatMap((each) =>
    nodesOf(each, depth + 1),
  );
  const definitions = (isJsonObject($defs) ? Object.values($defs) : []).flatMap((each) => nodesOf(each, 0));
  const branches = Array.isArray(anyOf) ? anyOf.flatMap((each: JsonValue) => nodesOf(each, depth)) : [];
  return [{ schema, depth }, ...members, ...nodesOf(items, depth + 1), ...branches, ...definitions];
}

function isOpen(schema: JsonObject): boolean {
  const { type, required, additionalProperties } = schema;
  if (type !== 'object') return false;
  const names: readonly JsonValue[] = Array.isArray(required) ? required : [];
  return additionalProperties !== false || keysOf(schema, 'properties').some((name) => !names.includes(name));
}

function keysOf(schema: JsonObject, key: string): readonly string[] {
  const value = schema[key];
  return isJsonObject(value) ? Object.keys(value) : [];
}

function enumOf(schema: JsonObject): readonly unknown[] {
  const values = schema['enum'];
  return Array.isArray(values) ? values : [];
}

/** Returns the names and values of a schema that count towards the limits of strict mode. */
function wordsOf(schema: JsonObject): readonly string[] {
  const { const: value } = schema;
  const values = [...enumOf(schema), ...(value === undefined ? [] : [value])];
  return [...keysOf(schema, 'properties'), ...keysOf(schema, '$defs'), ...values.map(String)];
}
