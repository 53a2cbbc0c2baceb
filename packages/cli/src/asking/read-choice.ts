import type { JsonObject, JsonValue } from '@shallot/core';
import { isJsonObject } from '@shallot/core/plugin';

/** A value that a schema allows, with its label and description. */
export interface Fixed {
  readonly value: JsonValue;
  readonly label: string;
  readonly hint?: string;
}

/** The choice that a schema offers. */
export interface SchemaChoice {
  readonly fixed: readonly Fixed[];
  /** The label of an answer in other words; undefined if only the fixed values are allowed. */
  readonly other?: string;
  /** True if any number may be chosen. */
  readonly isSeveral: boolean;
  /** Values in place of a list, such as a refusal. */
  readonly instead: readonly Fixed[];
}

/**
 * Reads a schema by which a person chooses one or several fixed values, perhaps with the option to type another
 * answer. Returns undefined for other schemas.
 */
export function readChoice(schema: JsonObject): SchemaChoice | undefined {
  const one = oneOfThese(schema);
  if (one !== undefined) return { ...one, isSeveral: false, instead: [] };
  const { type, items } = schema;
  if (type === 'array') {
    const each = isJsonObject(items) ? oneOfThese(items) : undefined;
    return each === undefined ? undefined : { ...each, isSeveral: true, instead: [] };
  }
  const [list, ...others] = alternatives(schema);
  const several = list?.['type'] === 'array' ? readChoice(list) : undefined;
  const instead = others.flatMap((other) => fixedIn(other) ?? []);
  return several === undefined || instead.length < others.length ? undefined : { ...several, instead };
}

function oneOfThese(schema: JsonObject): Pick<SchemaChoice, 'fixed' | 'other'> | undefined {
  if (schema['type'] === 'boolean') return { fixed: [toFixed(true), toFixed(false)] };
  const { const: value, enum: values } = schema;
  if (value !== undefined) return { fixed: [toFixed(value, schema)] };
  if (Array.isArray(values))
    return { fixed: values.map((each: JsonValue, index) => toFixed(each, { title: nameIn(schema, index) })) };
  const ways = alternatives(schema);
  const fixed = ways.flatMap((way) => fixedIn(way) ?? []);
  const [open, ...more] = ways.filter((way) => way['type'] === 'string' && way['enum'] === undefined);
  if (more.length > 0 || fixed.length === 0) return undefined;
  if (fixed.length + (open === undefined ? 0 : 1) < ways.length) return undefined;
  return { fixed, ...(open === undefined ? {} : { other: labelOf(open) ?? 'Other' }) };
}

function alternatives({ anyOf, oneOf }: JsonObject): readonly JsonObject[] {
  const either = anyOf ?? oneOf;
  const ways = Array.isArray(either) ? (either as readonly JsonValue[]) : [];
  return ways.every(isJsonObject) ? ways : [];
}

function fixedIn(schema: JsonObject): Fixed | undefined {
  return schema['const'] === undefined ? undefined : toFixed(schema['const'], schema);
}

/** Returns the label of a choice, as forms of MCP servers define it; null if it has none. */
function nameIn({ enumNames: names }: JsonObject, index: number): JsonValue {
  return (Array.isArray(names) ? (names as readonly JsonValue[])[index] : undefined) ?? null;
}

function toFixed(value: JsonValue, schema: JsonObject = {}): Fixed {
  const { description } = schema;
  return {
    value,
    label: labelOf(schema) ?? (typeof value === 'string' ? value : JSON.stringify(value)),
    ...(typeof description === 'string' ? { hint: description } : {}),
  };
}

function labelOf({ title }: JsonObject): string | undefined {
  return typeof title === 'string' ? title : undefined;
}
