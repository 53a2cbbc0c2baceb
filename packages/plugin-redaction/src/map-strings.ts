import type { JsonValue } from '@shallot/core';

/** Returns the replacement of a string, of a number given as its digits, or of a key. */
export type ChangeString = (text: string, keys: readonly string[], isNumber: boolean) => string | number;

/**
 * Changes the strings and keys of JSON; returns the same value if nothing changed. `change` receives the keys above a
 * string. Numbers are passed as digits, and become strings if changed.
 */
export function mapStrings(value: JsonValue, change: ChangeString, keys: readonly string[] = []): JsonValue {
  if (typeof value === 'string') return change(value, keys, false);
  if (typeof value === 'number') {
    const digits = String(value);
    const changed = change(digits, keys, true);
    return changed === digits ? value : changed;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return mapList(value, change, keys);
  let isChanged = false;
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => {
    const newKey = String(change(key, [], false));
    const newMember = mapStrings(member, change, [...keys, key]);
    isChanged ||= newKey !== key || newMember !== member;
    return [newKey, newMember];
  });
  return isChanged ? Object.fromEntries(entries) : value;
}

function mapList(list: readonly JsonValue[], change: ChangeString, keys: readonly string[]): JsonValue {
  const changed = list.map((member) => mapStrings(member, change, keys));
  return changed.some((member, index) => member !== list[index]) ? changed : list;
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
