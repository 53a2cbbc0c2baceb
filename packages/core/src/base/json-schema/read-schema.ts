import type { JsonObject, JsonValue } from '../json.ts';
import { explodes } from './explodes.ts';
import { schemaKeywords, valueKeywords } from './keywords.ts';
import { refersToItself, unresolved } from './references.ts';
import { surelyFits, type SurelyFits } from './surely-fits.ts';
import { unicodePattern } from './unicode-pattern.ts';

/** A plain JSON Schema prepared for checks. */
export interface ReadSchema {
  /** A copy for the validator, without the parts that it cannot check. */
  readonly schema: JsonObject;
  /** The reasons why no value can be checked against it, each with its location. */
  readonly faults: readonly string[];
  /** The parts that are not checked, each with its location. */
  readonly unchecked: readonly string[];
  /** The fast check; undefined if the schema always needs the validator. */
  readonly surelyFits: SurelyFits | undefined;
}

const known = new WeakMap<JsonObject, ReadSchema>();

/** Prepares a JSON Schema for checks. A frozen schema is prepared once. */
export function readSchema(schema: JsonObject): ReadSchema {
  const read = known.get(schema) ?? readOnce(schema);
  if (Object.isFrozen(schema)) known.set(schema, read);
  return read;
}

function readOnce(schema: JsonObject): ReadSchema {
  const reading = new Reading();
  const copy = reading.read(schema, '#');
  const faults = [...reading.faults, ...unresolved(schema), ...refersToItself(schema)];
  return {
    schema: copy as JsonObject,
    faults: [...new Set(faults)],
    unchecked: reading.unchecked,
    surelyFits: faults.length === 0 ? surelyFits(copy) : undefined,
  };
}

const types: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);

/** The checks of keywords whose values are not schemas, with a description of a valid value. */
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
    // The checks above leave only objects.
    for (const [keyword, value] of Object.entries(schema as JsonObject)) {
      if (value === undefined) continue;
      const kept = this.#keyword(keyword, value, `${place}/${keyword}`);
      if (kept !== undefined) Object.defineProperty(copy, keyword, { value: kept, ...plain });
    }
    return withoutScopes(copy);
  }

  /** Returns the value of a keyword for the check; undefined to omit the keyword. */
  #keyword(keyword: string, value: JsonValue, place: string): JsonValue | undefined {
    if (schemaKeywords.list.has(keyword) && Array.isArray(value))
      return (value as readonly JsonValue[]).map((each, index) => this.read(each, `${place}/${index}`));
    if (schemaKeywords.one.has(keyword)) return this.read(value, place);
    if (schemaKeywords.members.has(keyword)) return this.#members(keyword, value, place);
    // In draft 3, a member declared itself required with a boolean.
    if (keyword === 'required' && typeof value === 'boolean') return undefined;
    const form = Object.hasOwn(forms, keyword) ? forms[keyword] : undefined;
    if (schemaKeywords.list.has(keyword) || (form !== undefined && !form[0](value))) {
      const expected = form?.[1] ?? 'a list of schemas';
      this.faults.push(`${place} is ${JSON.stringify(value).slice(0, 80)}; it must be ${expected}`);
      return undefined;
    }
    if (keyword === 'pattern' && typeof value === 'string') return this.#pattern(value, place);
    if (valueKeywords.has(keyword)) return value;
    // Copied, because the validator writes into values that could be schemas; `$id` is removed, since it would register
    // a name.
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
    // The check above leaves only objects.
    for (const [name, member] of Object.entries(value as JsonObject)) {
      if (member === undefined) continue;
      const at = `${place}/${name.slice(0, 80)}`;
      // In older drafts a dependency may also be a list of names.
      const isList = keyword === 'dependencies' && Array.isArray(member);
      const key = keyword === 'patternProperties' ? this.#pattern(name, at) : name;
      // Members whose pattern cannot be run are accepted unchecked.
      const read = isList ? member : this.read(member, at);
      Object.defineProperty(members, key ?? '', { value: key === undefined ? true : read, ...plain });
    }
    return members;
  }

  /** Returns a pattern that can be run; undefined if it cannot. */
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

/** Treats dynamic references as plain ones, because the validator does not support them. */
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
