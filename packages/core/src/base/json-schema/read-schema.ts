import type { JsonObject, JsonValue } from '../json.ts';
import { explodes } from './explodes.ts';
import { refersToItself, unresolved } from './references.ts';
import { surelyFits, type SurelyFits } from './surely-fits.ts';
import { unicodePattern } from './unicode-pattern.ts';

/** A plain JSON Schema as values are checked against it. */
export interface ReadSchema {
  /** A copy, without the patterns that are not run. */
  readonly schema: JsonObject;
  /** Why no value can be checked against it, each with its place. */
  readonly faults: readonly string[];
  /** What of it is not checked, each with its place. */
  readonly unchecked: readonly string[];
  /** Spares most values the whole check; undefined for schemas that need it always. */
  readonly surelyFits: SurelyFits | undefined;
}

const known = new WeakMap<JsonObject, ReadSchema>();

/** Reads a schema that is JSON: what of it can be checked, and what is wrong with it. One that is frozen is read once. */
export function readSchema(schema: JsonObject): ReadSchema {
  const read = known.get(schema) ?? readAnew(schema);
  if (Object.isFrozen(schema)) known.set(schema, read);
  return read;
}

function readAnew(schema: JsonObject): ReadSchema {
  const reading = new Reading();
  const copy = reading.read(schema, '#');
  const faults = [...reading.faults, ...unresolved(schema), ...refersToItself(schema)];
  return {
    // A copy of an object is an object.
    schema: copy as JsonObject,
    faults: [...new Set(faults)],
    unchecked: reading.unchecked,
    surelyFits: faults.length === 0 ? surelyFits(copy) : undefined,
  };
}

/** Keywords of which the value is a schema, a list of schemas, or an object of schemas. */
const ofSchema = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const ofList = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const ofMembers = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
  'patternProperties',
  'properties',
]);

/** Keywords of which the value is no schema, whatever it looks like. */
const values = new Set(['const', 'default', 'enum', 'examples']);

const types: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);

/** What other keywords must be. */
const forms: Readonly<Record<string, readonly [(value: JsonValue) => boolean, string]>> = {
  type: [isType, 'a type, or a list of types (array, boolean, integer, null, number, object, string)'],
  required: [isNames, 'a list of names'],
  enum: [Array.isArray, 'a list'],
  pattern: [(value) => typeof value === 'string', 'a string'],
  $ref: [(value) => typeof value === 'string', 'a string'],
  ...Object.fromEntries(
    [
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minProperties',
      'maxProperties',
      'minContains',
      'maxContains',
    ].map((keyword) => [keyword, [isCount, 'a whole number from 0'] as const]),
  ),
  ...Object.fromEntries(
    ['minimum', 'maximum', 'multipleOf'].map((keyword) => [
      keyword,
      [(value: JsonValue) => typeof value === 'number', 'a number'] as const,
    ]),
  ),
};

class Reading {
  readonly faults: string[] = [];
  readonly unchecked: string[] = [];

  read(schema: JsonValue, place: string): JsonValue {
    if (typeof schema === 'boolean') return schema;
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
      this.faults.push(
        `${place} is ${JSON.stringify(schema)?.slice(0, 80)}; a schema is an object, true or false`,
      );
      return true;
    }
    const copy: Record<string, JsonValue> = {};
    // The checks above leave objects only.
    for (const [keyword, value] of Object.entries(schema as JsonObject)) {
      // Members that are undefined are none.
      if (value === undefined) continue;
      const kept = this.#keyword(keyword, value, `${place}/${keyword}`);
      if (kept !== undefined) Object.defineProperty(copy, keyword, { value: kept, ...plain });
    }
    return withoutScopes(copy);
  }

  /** The value of a keyword as it is checked; undefined if it is not. */
  #keyword(keyword: string, value: JsonValue, place: string): JsonValue | undefined {
    if (ofList.has(keyword) && Array.isArray(value))
      return (value as readonly JsonValue[]).map((each, index) => this.read(each, `${place}/${index}`));
    if (ofSchema.has(keyword)) return this.read(value, place);
    if (ofMembers.has(keyword)) return this.#members(keyword, value, place);
    // So it was said in draft 3, of a member itself.
    if (keyword === 'required' && typeof value === 'boolean') return undefined;
    const form = Object.hasOwn(forms, keyword) ? forms[keyword] : undefined;
    if (ofList.has(keyword) || (form !== undefined && !form[0](value))) {
      const expected = form?.[1] ?? 'a list of schemas';
      this.faults.push(`${place} is ${JSON.stringify(value).slice(0, 80)}; it must be ${expected}`);
      return undefined;
    }
    if (keyword === 'pattern' && typeof value === 'string') return this.#pattern(value, place);
    if (typeof value !== 'object' || value === null || values.has(keyword)) return value;
    // The check writes into what could be a schema, and what stands in a keyword that it does not know has no name.
    return JSON.parse(
      JSON.stringify(value, (key, each: JsonValue) => (key === '$id' ? undefined : each)),
    ) as JsonValue;
  }

  #members(keyword: string, value: JsonValue, place: string): JsonValue | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.faults.push(`${place} is ${JSON.stringify(value).slice(0, 80)}; it must be an object of schemas`);
      return undefined;
    }
    const members: Record<string, JsonValue> = {};
    // The check above leaves objects only.
    for (const [name, member] of Object.entries(value as JsonObject)) {
      if (member === undefined) continue;
      const at = `${place}/${name.slice(0, 80)}`;
      // In older drafts, a dependency is a list of names, too.
      const isList = keyword === 'dependencies' && Array.isArray(member);
      const key = keyword === 'patternProperties' ? this.#pattern(name, at) : name;
      // Members that nothing may be said of any more are let through, whatever they are.
      const read = isList ? member : this.read(member, at);
      Object.defineProperty(members, key ?? '', { value: key === undefined ? true : read, ...plain });
    }
    return members;
  }

  /** A pattern that can be run; undefined for one that is not. */
  #pattern(pattern: string, place: string): string | undefined {
    const written = unicodePattern(pattern);
    const why =
      written === undefined
        ? 'is no regular expression'
        : explodes(written)
          ? 'can take exponential time: it repeats what can be matched in two ways'
          : undefined;
    if (why === undefined) return written;
    this.unchecked.push(`${place}: the pattern ${JSON.stringify(pattern.slice(0, 200))} ${why}`);
    return undefined;
  }
}

/** The check knows no dynamic references: where nothing changes their scope, they are like others. */
function withoutScopes(schema: Record<string, JsonValue>): Record<string, JsonValue> {
  const { $dynamicRef: reference, $dynamicAnchor: anchor } = schema;
  if (typeof anchor === 'string') schema['$anchor'] ??= anchor;
  if (typeof reference === 'string') schema['$ref'] ??= reference;
  return schema;
}

const plain = { writable: true, enumerable: true, configurable: true };

function isType(value: JsonValue): boolean {
  return Array.isArray(value) ? value.length > 0 && value.every((each) => types.has(each)) : types.has(value);
}

function isNames(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isCount(value: JsonValue): boolean {
  return typeof value === 'number' && value >= 0 && Number.isInteger(value);
}
