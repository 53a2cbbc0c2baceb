import type { JsonObject, JsonSchema, JsonValue } from '@shallot/core';
import { isJsonObject } from '@shallot/core/plugin';

/**
 * The names that one argument has in the tools of several agents. A model may use those of the agents that it was
 * trained with.
 */
const synonyms: readonly (readonly string[])[] = [
  ['path', 'file_path', 'dir_path', 'absolute_path', 'target_file'],
  ['old_string', 'old_str', 'old_text'],
  ['new_string', 'new_str', 'new_text'],
  ['replace_all', 'allow_multiple'],
  ['content', 'contents', 'file_text'],
  ['pattern', 'regex'],
  ['glob', 'include', 'include_pattern', 'file_pattern'],
  ['offset', 'start_line'],
];

/** Arguments that only explain why a call is made. */
const explaining: ReadonlySet<string> = new Set(['description', 'explanation', 'instruction']);

/**
 * Returns the arguments under the names of the schema. An unknown name is replaced if it differs only by case or
 * separators, or is a synonym, and if exactly one name fits that is not given as well. Arguments that only explain
 * the call are left out. Returns the same object if nothing is to be renamed.
 */
export function renameArguments(given: JsonObject, schema: JsonSchema): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties)) return given;
  const known = Object.keys(properties);
  const isKnown = (name: string): boolean => Object.hasOwn(properties, name);
  const targets = new Map<string, string>();
  for (const name of Object.keys(given).filter((each) => !isKnown(each))) {
    const [target, ...others] = known.filter((each) => !Object.hasOwn(given, each) && isSame(each, name));
    if (target !== undefined && others.length === 0) targets.set(name, target);
  }
  const isOnly = (target: string): boolean =>
    [...targets.values()].filter((each) => each === target).length === 1;
  let isChanged = false;
  const members = Object.entries(given).flatMap(([name, value]): [string, JsonValue][] => {
    const target = targets.get(name);
    if (target === undefined && !isKnown(name) && explaining.has(name) && typeof value === 'string') {
      isChanged = true;
      return [];
    }
    const named = target !== undefined && isOnly(target) ? target : name;
    const inner = renameWithin(value, properties[named]);
    isChanged ||= named !== name || inner !== value;
    return [[named, inner]];
  });
  return isChanged ? Object.fromEntries(members) : given;
}

/** Returns a value in which unknown members, of the value or of its items, have the names of the schema. */
function renameWithin(value: JsonValue, schema: JsonValue | undefined): JsonValue {
  if (!isJsonObject(schema)) return value;
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    const renamed = items.map((item) => renameWithin(item, schema['items']));
    return renamed.some((item, index) => item !== items[index]) ? renamed : items;
  }
  return isJsonObject(value) ? renameArguments(value, schema) : value;
}

function isSame(known: string, given: string): boolean {
  const [one, other] = [plain(known), plain(given)];
  return (
    one === other ||
    synonyms.some(
      (names) => names.some((name) => plain(name) === one) && names.some((name) => plain(name) === other),
    )
  );
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
