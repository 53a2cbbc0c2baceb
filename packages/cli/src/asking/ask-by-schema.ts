import type { JsonObject, JsonValue } from '@shallot/core';
import { visible } from '@shallot/core/plugin';

import type { Choice, Prompts } from '../terminal/prompts.ts';
import { isObject } from './approval.ts';
import { parseJson } from './parse-json.ts';

/**
 * Asks for an answer that matches a JSON Schema: enums are selected, strings and numbers typed, members of flat objects
 * asked one by one by their titles. If the schema allows an object or fixed values such as `decline`, it first asks
 * which. For anything else, JSON is typed. The caller validates the answer.
 */
export async function askBySchema(schema: JsonObject, prompts: Prompts): Promise<JsonValue> {
  const simple = await askSimple(schema, 'Your answer', prompts, { optional: false });
  if (simple !== undefined) return simple.value ?? null;
  const either = objectOrFixed(schema);
  if (either !== undefined) return askEither(either, prompts);
  const members = flatMembers(schema);
  if (members === undefined) return askJson(schema, prompts);
  const answer: [string, JsonValue][] = [];
  for (const { key, member, optional } of members) {
    const given = await askSimple(member, key, prompts, { optional });
    if (given?.value !== undefined) answer.push([key, given.value]);
  }
  return Object.fromEntries(answer);
}

interface ObjectOrFixed {
  readonly object: JsonObject;
  readonly fixed: readonly { readonly value: JsonValue; readonly hint: string }[];
}

/** Splits a schema that allows an object or fixed values; undefined for others. */
function objectOrFixed({ anyOf, oneOf }: JsonObject): ObjectOrFixed | undefined {
  const either = anyOf ?? oneOf;
  const [object, ...others] = Array.isArray(either) ? (either as readonly JsonValue[]) : [];
  if (!isObject(object) || object['type'] !== 'object' || others.length === 0) return undefined;
  const fixed = others.flatMap((other) => {
    if (!isObject(other) || other['const'] === undefined) return [];
    const { description } = other;
    return [{ value: other['const'], hint: typeof description === 'string' ? visible(description) : '' }];
  });
  return fixed.length === others.length ? { object, fixed } : undefined;
}

async function askEither({ object, fixed }: ObjectOrFixed, prompts: Prompts): Promise<JsonValue> {
  const choices: Choice<string>[] = fixed.map(({ value, hint }, index) => ({
    value: String(index),
    label: visible(typeof value === 'string' ? value : JSON.stringify(value)),
    hint,
  }));
  const chosen = await prompts.choose('Your answer', [{ value: 'object', label: 'answer' }, ...choices]);
  if (chosen !== 'object') return fixed[Number(chosen)]?.value ?? null;
  const { properties } = object;
  return isObject(properties) && Object.keys(properties).length === 0 ? {} : askBySchema(object, prompts);
}

interface Given {
  /** Undefined if an optional value is omitted. */
  readonly value: JsonValue | undefined;
}

/** Asks for a value of a simple schema; undefined if the schema is not simple. */
async function askSimple(
  schema: JsonObject,
  name: string,
  prompts: Prompts,
  { optional }: { readonly optional: boolean },
): Promise<Given | undefined> {
  const { type, title, description } = schema;
  const hint = typeof description === 'string' ? ` (${visible(description)})` : '';
  const message = `${visible(typeof title === 'string' ? title : name)}${hint}${optional ? ', optional' : ''}`;
  const fixed = fixedValues(schema);
  if (fixed !== undefined) {
    const choices = choicesOf(fixed);
    if (optional) choices.push({ value: 'none', label: '(leave empty)' });
    return { value: fixed[Number(await prompts.choose(message, choices))]?.value };
  }
  const several = severalOf(schema);
  if (several !== undefined) {
    const chosen = await prompts.chooseSeveral(message, choicesOf(several));
    return { value: chosen.flatMap((index) => several[Number(index)]?.value ?? []) };
  }
  if (type === 'string') {
    const text = await prompts.text(message);
    return { value: optional && text === '' ? undefined : text };
  }
  if (type !== 'number' && type !== 'integer') return undefined;
  const check = (text: string): string | undefined =>
    (optional && text === '') || (text.trim() !== '' && Number.isFinite(Number(text)))
      ? undefined
      : 'Enter a number.';
  const text = await prompts.text(message, { check });
  return { value: text === '' ? undefined : Number(text) };
}

/** A value that a schema allows, and its label. */
interface Fixed {
  readonly value: JsonValue;
  readonly label: string;
}

function choicesOf(fixed: readonly Fixed[]): Choice<string>[] {
  return fixed.map(({ label }, index) => ({ value: String(index), label: visible(label) }));
}

/** Returns the values of an enum schema; undefined for others. */
function fixedValues(schema: JsonObject): readonly Fixed[] | undefined {
  if (schema['type'] === 'boolean') return [toFixed(true), toFixed(false)];
  if (schema['const'] !== undefined) return [toFixed(schema['const'], schema['title'])];
  if (Array.isArray(schema['enum']))
    return (schema['enum'] as readonly JsonValue[]).map((value, index) =>
      toFixed(value, nameIn(schema, index)),
    );
  const either = schema['anyOf'] ?? schema['oneOf'];
  if (!Array.isArray(either) || either.length === 0) return undefined;
  const values = (either as readonly JsonValue[]).flatMap((each) =>
    isObject(each) && each['const'] !== undefined ? [toFixed(each['const'], each['title'])] : [],
  );
  return values.length === either.length ? values : undefined;
}

/** Returns the label of a choice, as forms of MCP servers define it. */
function nameIn({ enumNames: names }: JsonObject, index: number): JsonValue | undefined {
  return Array.isArray(names) ? (names as readonly JsonValue[])[index] : undefined;
}

/** Returns the values of a list schema for a multiple choice; undefined for others. */
function severalOf({ type, items }: JsonObject): readonly Fixed[] | undefined {
  return type === 'array' && isObject(items) ? fixedValues(items) : undefined;
}

function toFixed(value: JsonValue, title?: JsonValue): Fixed {
  const label = typeof title === 'string' ? title : typeof value === 'string' ? value : JSON.stringify(value);
  return { value, label };
}

interface Member {
  readonly key: string;
  readonly member: JsonObject;
  readonly optional: boolean;
}

/** Returns the members of an object schema with only simple members; undefined for others. */
function flatMembers({ type, properties, required, anyOf, oneOf }: JsonObject): Member[] | undefined {
  if (type !== 'object' || !isObject(properties) || anyOf !== undefined || oneOf !== undefined)
    return undefined;
  const needed = Array.isArray(required) ? (required as readonly JsonValue[]) : [];
  const members = Object.entries(properties).flatMap(([key, member]) =>
    isObject(member) && isSimple(member) ? [{ key, member, optional: !needed.includes(key) }] : [],
  );
  return members.length > 0 && members.length === Object.keys(properties).length ? members : undefined;
}

function isSimple(schema: JsonObject): boolean {
  const { type } = schema;
  return (
    fixedValues(schema) !== undefined ||
    severalOf(schema) !== undefined ||
    type === 'string' ||
    type === 'number' ||
    type === 'integer'
  );
}

async function askJson(schema: JsonObject, prompts: Prompts): Promise<JsonValue> {
  const check = (text: string): string | undefined => {
    const parsed = parseJson(text);
    return 'problem' in parsed ? parsed.problem : undefined;
  };
  const text = await prompts.text(`Your answer, as JSON of ${visible(JSON.stringify(schema))}`, { check });
  const parsed = parseJson(text);
  // It was validated while typing.
  return 'value' in parsed ? parsed.value : null;
}
