import type { JsonSchema, JsonValue } from '@shallot/core';
import { isJsonObject } from '@shallot/core/plugin';

/** An example of an answer, with its description from the schema. */
export interface ExampleAnswer {
  readonly answer: JsonValue;
  readonly description?: string;
}

/** The most examples; longer lists would hide the question. */
const maxExamples = 6;
const maxDepth = 4;

/** Returns an example answer for each of the first six alternatives of a schema, as far as examples can be made. */
export function exampleAnswers(schema: JsonSchema): readonly ExampleAnswer[] {
  const ways = waysOf(schema);
  return ways.slice(0, maxExamples).flatMap((way) => {
    const answer = exampleOf(way, 0);
    // The title of an alternative is its name, but the title of the whole schema is the question.
    const description = way['description'] ?? (way === schema ? undefined : way['title']);
    if (answer === undefined) return [];
    return [{ answer, ...(typeof description === 'string' ? { description } : {}) }];
  });
}

/** Returns the alternatives of a schema: each enum value, or each of several schemas; otherwise the schema itself. */
function waysOf(schema: JsonSchema): readonly JsonSchema[] {
  const several = listIn(schema, 'anyOf') ?? listIn(schema, 'oneOf');
  if (several !== undefined) return several.filter(isJsonObject);
  return listIn(schema, 'enum')?.map((value) => ({ const: value })) ?? [schema];
}

function listIn(schema: JsonSchema, keyword: string): readonly JsonValue[] | undefined {
  const list = schema[keyword];
  return Array.isArray(list) ? list : undefined;
}

function exampleOf(schema: JsonSchema, depth: number): JsonValue | undefined {
  if (depth > maxDepth) return undefined;
  const { const: value, default: usual, type } = schema;
  if (value !== undefined) return value;
  if (usual !== undefined) return usual;
  const [way] = waysOf(schema);
  if (way !== undefined && way !== schema) return exampleOf(way, depth + 1);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return '…';
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return true;
    case 'array':
      return exampleList(schema['items'], depth);
    case 'object':
      return exampleObject(schema, depth);
    default:
      return undefined;
  }
}

function exampleList(items: JsonValue | undefined, depth: number): JsonValue {
  const item = isJsonObject(items) ? exampleOf(items, depth + 1) : undefined;
  return item === undefined ? [] : [item];
}

/** Returns an example with the required members, or with all if none is required. */
function exampleObject({ properties, required }: JsonSchema, depth: number): JsonValue {
  const members = Object.entries(isJsonObject(properties) ? properties : {});
  const wanted = Array.isArray(required) && required.length > 0 ? required : members.map(([name]) => name);
  const shown = members.flatMap(([name, member]) => {
    const example = wanted.includes(name) && isJsonObject(member) ? exampleOf(member, depth + 1) : undefined;
    return example === undefined ? [] : [[name, example] as const];
  });
  return Object.fromEntries(shown);
}
