import type { JsonValue } from '@shallot/core';

import type { Field } from './field.ts';

/** Everything that the user has entered in a field so far, including choices that are no longer selected. */
export interface Draft {
  readonly text?: string;
  /** The indexes of the selected choices. */
  readonly chosen?: readonly number[];
  /** The drafts of the fields inside: choices by their indexes, members by their names. */
  readonly inside?: Readonly<Record<string, Draft>>;
}

/** The value that was entered, or the problem with it. */
export type Read = { readonly value: JsonValue | undefined } | { readonly problem: string };

/** Reads the value of a field; undefined for an optional field that is empty. */
export function readDraft(field: Field, draft: Draft = {}, isRequired = true): Read {
  const { text = '', chosen = [], inside = {} } = draft;
  const isEmpty = text.trim() === '';
  switch (field.kind) {
    case 'fixed':
      return { value: field.value };
    case 'text':
      if (!isRequired && text === '') return { value: undefined };
      return text.length < field.minLength ? { problem: 'Write something.' } : { value: text };
    case 'number':
      return isEmpty ? missing(isRequired, 'Enter a number.') : readNumber(text, field.isWhole);
    case 'json':
      return isEmpty ? missing(isRequired, 'Write the answer as JSON.') : readJson(text);
    case 'either': {
      const [index] = chosen;
      const way = index === undefined ? undefined : field.ways[index];
      return way === undefined ? missing(isRequired, 'Choose one.') : readDraft(way, inside[String(index)]);
    }
    case 'several': {
      if (chosen.length === 0 && !isRequired) return { value: undefined };
      const ways = field.ways.flatMap((way, index) =>
        chosen.includes(index) ? [{ name: String(index), field: way, isRequired: true }] : [],
      );
      const read = readAll(ways, inside);
      return 'problem' in read ? read : { value: read.values.map(([, value]) => value) };
    }
    case 'object': {
      const read = readAll(field.members, inside);
      return 'problem' in read ? read : { value: Object.fromEntries(read.values) };
    }
  }
}

function readAll(
  fields: readonly { readonly name: string; readonly field: Field; readonly isRequired: boolean }[],
  inside: Readonly<Record<string, Draft>>,
): { readonly values: readonly (readonly [string, JsonValue])[] } | { readonly problem: string } {
  const values: (readonly [string, JsonValue])[] = [];
  for (const { name, field, isRequired } of fields) {
    const read = readDraft(field, inside[name], isRequired);
    if ('problem' in read) return { problem: `${field.title ?? name}: ${read.problem}` };
    if (read.value !== undefined) values.push([name, read.value]);
  }
  return { values };
}

function missing(isRequired: boolean, problem: string): Read {
  return isRequired ? { problem } : { value: undefined };
}

function readNumber(text: string, isWhole: boolean): Read {
  const value = Number(text);
  const isFine = isWhole ? Number.isInteger(value) : Number.isFinite(value);
  return isFine ? { value } : { problem: isWhole ? 'Enter a whole number.' : 'Enter a number.' };
}

/** Reads text as JSON. */
export function readJson(text: string): { readonly value: JsonValue } | { readonly problem: string } {
  try {
    // `JSON.parse` returns only JSON values.
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { problem: `This is not JSON (${error instanceof Error ? error.message : String(error)}).` };
  }
}
