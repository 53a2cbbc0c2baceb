import type { JsonObject, JsonValue } from '@shallot/core';
import { pointedAt } from '@shallot/core/model';

import { isJsonObject } from '../sdk/metadata.ts';
import { annotations } from './root-schema.ts';

// The limits of strict mode that OpenAI documents; servers with the same API adopted them.
const maxDepth = 10;
const maxProperties = 5000;
const maxValues = 1000;
/** The limit for all names and values together, and for the values of one long enum. */
const maxCharacters = 120_000;
const maxChoiceCharacters = 15_000;
const longChoice = 250;

const formats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

/** The keywords of strict mode, besides the type. */
const keywords: ReadonlySet<string> = new Set([
  ...annotations,
  '$ref',
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'enum',
  'const',
  'pattern',
  'format',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
]);

/**
 * Returns a schema for strict mode: the same, with each object closed (`additionalProperties: false`). Undefined for
 * schemas that strict mode cannot express: optional members, records, tuples, `oneOf`, remote references, and so on.
 */
export function closedSchema(schema: JsonObject): JsonObject | undefined {
  if (schema['type'] !== 'object' || 'anyOf' in schema) return undefined;
  return new Closing(schema).close(schema, 0);
}

class Closing {
  readonly #root: JsonObject;
  #properties = 0;
  #values = 0;
  #characters = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  close(schema: JsonValue | undefined, depth: number): JsonObject | undefined {
    if (!isJsonObject(schema) || depth > maxDepth) return undefined;
    if (!Object.keys(schema).every((key) => keywords.has(key))) return undefined;
    const definitions = this.#definitions(schema);
    if (definitions === undefined) return undefined;
    const closed = '$ref' in schema ? undefined : this.#constraints(schema, depth);
    const { $ref: reference } = schema;
    if (reference !== undefined) return this.#reference(schema, reference, definitions);
    return closed === undefined ? undefined : { ...schema, ...definitions, ...closed };
  }

  #reference(schema: JsonObject, reference: JsonValue, definitions: JsonObject): JsonObject | undefined {
    const isAlone = Object.keys(schema).every((key) => key === '$ref' || annotations.has(key));
    if (!isAlone || typeof reference !== 'string') return undefined;
    return isJsonObject(pointedAt(this.#root, reference)) ? { ...schema, ...definitions } : undefined;
  }

  #definitions(schema: JsonObject): JsonObject | undefined {
    const closed: Record<string, JsonValue> = {};
    for (const name of ['$defs', 'definitions']) {
      const definitions = schema[name];
      if (definitions === undefined) continue;
      const members = this.#members(definitions, 0);
      if (members === undefined) return undefined;
      closed[name] = members;
    }
    return closed;
  }

  /** Closes nested objects. Returns the changed constraints; undefined if strict mode cannot express them. */
  #constraints(schema: JsonObject, depth: number): JsonObject | undefined {
    const { type, anyOf, enum: values, pattern, format } = schema;
    if (!this.#canChoose(values) || !this.#canSay([schema['const']])) return undefined;
    if (format !== undefined && !formats.has(format)) return undefined;
    if (typeof pattern === 'string' && /\(\?(?:[=!]|<[=!])/.test(pattern)) return undefined;
    if (anyOf !== undefined) return this.#union(schema, anyOf, depth);
    const types: readonly unknown[] = Array.isArray(type) ? type : [type];
    if (!types.every((each) => typeof each === 'string')) return undefined;
    if (types.includes('object')) return this.#object(schema, depth);
    if (!types.includes('array')) return {};
    const items = this.close(schema['items'], depth + 1);
    return items === undefined ? undefined : { items };
  }

  #union(schema: JsonObject, anyOf: JsonValue, depth: number): JsonObject | undefined {
    const isAlone = Object.keys(schema).every((key) => key === 'anyOf' || annotations.has(key));
    if (!isAlone || !Array.isArray(anyOf)) return undefined;
    const branches = anyOf.map((branch: JsonValue) => this.close(branch, depth));
    return branches.includes(undefined) ? undefined : { anyOf: branches as JsonObject[] };
  }

  #object(schema: JsonObject, depth: number): JsonObject | undefined {
    const { properties, required = [], additionalProperties = false } = schema;
    if (additionalProperties !== false || 'items' in schema) return undefined;
    // An open object without members means "anything".
    if (properties === undefined && schema['additionalProperties'] !== false) return undefined;
    const members = this.#members(properties ?? {}, depth + 1);
    if (members === undefined || !Array.isArray(required)) return undefined;
    const names = Object.keys(members);
    this.#properties += names.length;
    const isWhole = names.length === new Set(required).size && names.every((name) => required.includes(name));
    if (!isWhole || this.#properties > maxProperties) return undefined;
    return { properties: members, required, additionalProperties: false };
  }

  #canChoose(values: JsonValue | undefined): boolean {
    if (!Array.isArray(values)) return true;
    this.#values += values.length;
    const isShort = values.length <= longChoice || lengthOf(values) <= maxChoiceCharacters;
    return this.#values <= maxValues && isShort && this.#canSay(values);
  }

  #canSay(words: readonly (JsonValue | undefined)[]): boolean {
    this.#characters += lengthOf(words);
    return this.#characters <= maxCharacters;
  }

  #members(schemas: JsonValue, depth: number): JsonObject | undefined {
    if (!isJsonObject(schemas) || !this.#canSay(Object.keys(schemas))) return undefined;
    const closed = Object.entries(schemas).map(
      ([name, schema]) => [name, this.close(schema, depth)] as const,
    );
    if (closed.some(([, schema]) => schema === undefined)) return undefined;
    // Only schemas that could be closed are left.
    return Object.fromEntries(closed) as JsonObject;
  }
}

function lengthOf(words: readonly (JsonValue | undefined)[]): number {
  return words.reduce<number>((sum, word) => {
    if (word === undefined) return sum;
    return sum + (typeof word === 'string' ? word : JSON.stringify(word)).length;
  }, 0);
}
