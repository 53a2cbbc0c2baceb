import type { OutputUnit } from '@cfworker/json-schema';

import type { JsonObject } from '../json.ts';
import { nearest } from '../nearest.ts';
import { keysAt } from './keys-at.ts';
import { leafIssues } from './leaf-issues.ts';

/** A fault of a value, as `SchemaIssue` declares it. */
interface Issue {
  readonly path: readonly string[];
  readonly message: string;
  readonly keys?: readonly string[];
}

/** A message may list all values of an enum, of which there may be thousands. */
const maxMessageLength = 1000;

/**
 * Returns the innermost issues of a value that a validator reports; an unknown key is reported with a similar known
 * one, else with all known ones.
 */
export function issuesOfUnits(units: readonly OutputUnit[], schema: JsonObject): Issue[] {
  return (
    leafIssues(units)
      // The validator reports the value of an unknown key after the key.
      .filter(({ keyword }, index, all) => keyword !== 'false' || !isUnknownKey(all[index - 1]))
      .map((unit) => issueOf(unit, schema))
  );
}

function isUnknownKey(unit: OutputUnit | undefined): boolean {
  return unit?.keyword === 'additionalProperties';
}

function issueOf(unit: OutputUnit, schema: JsonObject): Issue {
  const { instanceLocation, error } = unit;
  const path = segmentsOf(instanceLocation);
  const key = isUnknownKey(unit) ? /^Property "(.*)" does not/s.exec(error)?.[1] : undefined;
  if (key !== undefined)
    return { path, message: cut(unknownProperty(key, keysAt(schema, path))), keys: [key] };
  return { path, message: cut(error) };
}

function unknownProperty(key: string, known: readonly string[] | undefined): string {
  const missing = `there is no property "${key}"`;
  if (known === undefined) return missing;
  const near = nearest(key, known);
  return near === undefined
    ? `${missing}; known: ${known.join(', ') || 'none'}`
    : `${missing}; did you mean "${near}"?`;
}

function cut(message: string): string {
  return message.length > maxMessageLength
    ? `${message.slice(0, maxMessageLength).toWellFormed()}…`
    : message;
}

/** Splits a JSON pointer into keys. Keys of lists cannot be distinguished from those of objects. */
function segmentsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'));
}
