import type { JsonObject, JsonValue } from '@shallot/core';
import { visible, isJsonObject } from '@shallot/core/plugin';

import type { Choice, Prompts } from '../terminal/prompts.ts';
import { parseJson } from './parse-json.ts';
import { readChoice, type Fixed, type SchemaChoice } from './read-choice.ts';

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
  if (!isJsonObject(object) || object['type'] !== 'object' || others.length === 0) return undefined;
  const fixed = others.flatMap((other) => {
    if (!isJsonObject(other) || other['const'] === undefined) return [];
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
  return isJsonObject(properties) && Object.keys(properties).length === 0 ? {} : askBySchema(object, prompts);
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
  const choice = readChoice(schema);
  if (choice !== undefined) return { value: await askChoice(choice, message, prompts, { optional }) };
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

const otherValue = 'other';

/** Asks for one of the fixed values, or several; an answer in other words is typed. */
async function askChoice(
  { fixed, other, isSeveral, instead }: SchemaChoice,
  message: string,
  prompts: Prompts,
  { optional }: { readonly optional: boolean },
): Promise<JsonValue | undefined> {
  const [only, ...more] = fixed;
  if (only !== undefined && more.length === 0 && other !== undefined && !isSeveral) {
    const text = await prompts.text(`${message} (leave empty: ${visible(only.label)})`);
    return text.trim() === '' ? only.value : text;
  }
  const all = [...fixed, ...instead];
  const choices = choicesOf(all);
  // The choice to type an answer stands before a refusal, which comes last.
  const last = all.at(-1)?.value === null ? 1 : 0;
  if (other !== undefined)
    choices.splice(choices.length - last, 0, { value: otherValue, label: `${visible(other)}…` });
  const valueOf = async (chosen: string): Promise<JsonValue | undefined> =>
    chosen === otherValue ? prompts.text(visible(other ?? '')) : all[Number(chosen)]?.value;
  if (!isSeveral) {
    if (optional) choices.push({ value: 'none', label: '(leave empty)' });
    return valueOf(await prompts.choose(message, choices));
  }
  const values: JsonValue[] = [];
  for (const chosen of await prompts.chooseSeveral(message, choices)) {
    const value = await valueOf(chosen);
    if (instead.some((each) => each.value === value)) return value;
    if (value !== undefined) values.push(value);
  }
  return values;
}

function choicesOf(fixed: readonly Fixed[]): Choice<string>[] {
  return fixed.map(({ label, hint }, index) => ({
    value: String(index),
    label: visible(label),
    ...(hint === undefined ? {} : { hint: visible(hint) }),
  }));
}

interface Member {
  readonly key: string;
  readonly member: JsonObject;
  readonly optional: boolean;
}

/** Returns the members of an object schema with simple members only; undefined for other schemas and without members. */
function flatMembers({ type, properties, required, anyOf, oneOf }: JsonObject): Member[] | undefined {
  if (type !== 'object' || !isJsonObject(properties) || anyOf !== undefined || oneOf !== undefined)
    return undefined;
  const needed = Array.isArray(required) ? (required as readonly JsonValue[]) : [];
  const members = Object.entries(properties).flatMap(([key, member]) =>
    isJsonObject(member) && isSimple(member) ? [{ key, member, optional: !needed.includes(key) }] : [],
  );
  return members.length > 0 && members.length === Object.keys(properties).length ? members : undefined;
}

function isSimple(schema: JsonObject): boolean {
  const { type } = schema;
  return readChoice(schema) !== undefined || type === 'string' || type === 'number' || type === 'integer';
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
