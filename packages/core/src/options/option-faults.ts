import type { StandardSchemaV1 } from '@standard-schema/spec';

import { isObject, memberAt } from '../base/is-object.ts';
import { keysAt } from '../base/json-schema/keys-at.ts';
import { nearest } from '../base/nearest.ts';
import { findJsonSchema, type JsonSchema, type SchemaIssue } from '../base/schema.ts';
import { isUnknownOption, unknownOption } from './option-shape.ts';

/** A fault of an option, in its key or its value. */
export interface OptionFault {
  readonly path: SchemaIssue['path'];
  readonly part: 'key' | 'value';
  readonly words: string;
}

/**
 * Returns a schema's issues in terms of options. An unknown key is reported with the nearest known one, if the schema
 * can be written as JSON Schema.
 */
export function optionFaults(
  issues: readonly SchemaIssue[],
  given: unknown,
  schema: StandardSchemaV1,
): readonly OptionFault[] {
  const json = findJsonSchema(schema);
  const faults = issues.flatMap((issue) => faultsOf(issue, given, json));
  // A schema may report a mistyped key twice: as unknown, and as a missing option.
  const isFirst = ({ path, part }: OptionFault, index: number): boolean =>
    part === 'value' ||
    index === faults.findIndex((other) => other.part === 'key' && isSame(other.path, path));
  return faults.filter(isFirst);
}

function faultsOf(
  { path, message, keys, isKey }: SchemaIssue,
  given: unknown,
  json?: JsonSchema,
): OptionFault[] {
  if (keys !== undefined) return keys.map((key) => unknown([...path, key], json && keysAt(json, path)));
  if (isUnknownOption(message)) return [{ path, part: 'key', words: message }];
  const holder = memberAt(given, path.slice(0, -1));
  const key = String(path.at(-1) ?? '');
  const known = json && keysAt(json, path.slice(0, -1));
  const asItIs: OptionFault = { path, part: 'value', words: message };
  if (path.length === 0 || !isObject(holder)) return [asItIs];
  if (Object.hasOwn(holder, key)) {
    const isUnknown = isKey === true || known?.includes(key) === false;
    return [isUnknown ? unknown(path, known) : asItIs];
  }
  // A missing option may be present under a mistyped name, which a schema that drops unknown keys does not report.
  const misspelt =
    known &&
    nearest(
      key,
      Object.keys(holder).filter((written) => !known.includes(written)),
    );
  return [misspelt === undefined ? asItIs : unknown([...path.slice(0, -1), misspelt], known)];
}

function unknown(path: SchemaIssue['path'], known: readonly string[] | undefined): OptionFault {
  return { path, part: 'key', words: unknownOption(String(path.at(-1)), known) };
}

function isSame(a: SchemaIssue['path'], b: SchemaIssue['path']): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
