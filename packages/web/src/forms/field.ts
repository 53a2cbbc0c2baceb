import type { JsonObject, JsonValue } from '@shallot/core';

/** A field of a form, read from a JSON Schema. */
export type Field = FieldNotes &
  (
    | { readonly kind: 'fixed'; readonly value: JsonValue }
    | { readonly kind: 'text'; readonly isLong: boolean; readonly minLength: number }
    | { readonly kind: 'number'; readonly isWhole: boolean }
    /** A choice of one field among several. */
    | { readonly kind: 'either'; readonly ways: readonly Field[] }
    /** Any number of the fields; the value is a list of their values. */
    | { readonly kind: 'several'; readonly ways: readonly Field[] }
    | { readonly kind: 'object'; readonly members: readonly Member[] }
    /** A value of any other type, which is typed as JSON. */
    | { readonly kind: 'json' }
  );

interface FieldNotes {
  readonly title?: string;
  readonly hint?: string;
}

/** A member of an object. */
export interface Member {
  readonly name: string;
  readonly field: Field;
  readonly isRequired: boolean;
}

/** Reads a schema as a field. The user types JSON if no form can show the schema. */
export function fieldOf(schema: JsonValue): Field {
  return isObject(schema) ? { ...notesOf(schema), ...contentOf(schema) } : { kind: 'json' };
}

/** Returns the titles that a form shows above its fields. */
export function titlesIn(field: Field): readonly string[] {
  const inside = field.kind === 'object' ? field.members.flatMap((member) => titlesIn(member.field)) : [];
  return field.title === undefined ? inside : [field.title, ...inside];
}

function contentOf(schema: JsonObject): Field {
  const { const: value, enum: values, anyOf, oneOf, type } = schema;
  if (value !== undefined) return { kind: 'fixed', value, title: textOf(schema['title']) ?? labelOf(value) };
  if (isList(values))
    return { kind: 'either', ways: values.map((each, index) => fixed(each, nameIn(schema, index))) };
  const ways = anyOf ?? oneOf;
  if (isList(ways) && ways.length > 0) {
    const [only, ...others] = ways.map(fieldOf);
    return only !== undefined && others.length === 0 ? only : { kind: 'either', ways: ways.map(fieldOf) };
  }
  switch (type) {
    case 'boolean':
      return { kind: 'either', ways: [fixed(true, 'Yes'), fixed(false, 'No')] };
    case 'null':
      return fixed(null, textOf(schema['title']) ?? 'Nothing');
    case 'string':
      return { kind: 'text', isLong: isLong(schema), minLength: numberOf(schema['minLength']) ?? 0 };
    case 'number':
    case 'integer':
      return { kind: 'number', isWhole: type === 'integer' };
    case 'array':
      return severalOf(schema) ?? { kind: 'json' };
    case 'object':
      return objectOf(schema) ?? { kind: 'json' };
    default:
      return { kind: 'json' };
  }
}

function severalOf({ items }: JsonObject): Field | undefined {
  const each = items === undefined ? undefined : fieldOf(items);
  const isChoice =
    each?.kind === 'either' && each.ways.every(({ kind }) => kind === 'fixed' || kind === 'text');
  return isChoice ? { kind: 'several', ways: each.ways } : undefined;
}

function objectOf({ properties, required }: JsonObject): Field | undefined {
  if (!isObject(properties)) return undefined;
  const needed = isList(required) ? required : [];
  const members = Object.entries(properties).map(([name, schema]): Member => ({
    name,
    field: fieldOf(schema),
    isRequired: needed.includes(name),
  }));
  return { kind: 'object', members };
}

function fixed(value: JsonValue, title = labelOf(value)): Field {
  return { kind: 'fixed', value, title };
}

/** Returns the label of a choice, which MCP servers define in `enumNames`; undefined without one. */
function nameIn({ enumNames: names }: JsonObject, index: number): string | undefined {
  return isList(names) ? textOf(names[index]) : undefined;
}

function labelOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function notesOf({ title, description }: JsonObject): FieldNotes {
  const [name, hint] = [textOf(title), textOf(description)];
  return { ...(name === undefined ? {} : { title: name }), ...(hint === undefined ? {} : { hint }) };
}

function isLong({ maxLength, format }: JsonObject): boolean {
  return format === undefined && (numberOf(maxLength) ?? Infinity) > 200;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
