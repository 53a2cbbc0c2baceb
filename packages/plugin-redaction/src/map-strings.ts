import type { JsonValue } from '@shallot/core';

export type ChangeString = (text: string, keys: readonly string[]) => string;

/**
 * JSON with its strings and keys changed; the same value if nothing is. `change` is told the keys above a string; a number is
 * offered as its digits, and becomes a string when they are changed.
 */
export function mapStrings(value: JsonValue, change: ChangeString, keys: readonly string[] = []): JsonValue {
  if (typeof value === 'string') return change(value, keys);
  if (typeof value === 'number') {
    const digits = String(value);
    const changed = change(digits, keys);
    return changed === digits ? value : changed;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return mapList(value, change, keys);
  let isChanged = false;
  const entries = Object.entries(value).map(([key, member]): [string, JsonValue] => {
    const newKey = change(key, []);
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
