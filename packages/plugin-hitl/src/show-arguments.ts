import type { JsonValue } from '@shallot/core';
import { type CallOutput, visible, isJsonObject } from '@shallot/core/plugin';

/** Formats the arguments of a call for a person, one per line; multi-line text becomes lines with `| `. */
export function showArguments(input: JsonValue): string {
  if (!isJsonObject(input)) return showValue(input);
  const entries = Object.entries(input);
  if (entries.length === 0) return '(no arguments)';
  return entries.map(([key, value]) => `${showKey(key)}: ${showValue(value)}`).join('\n');
}

/** Formats the executed input of a call whose arguments the schema changed, and names values that are not JSON. */
export function showOutput({ value, notJson = [] }: CallOutput): string {
  return [showArguments(value), ...notJson.map((each) => `(no JSON: ${visible(each)})`)].join('\n');
}

function showKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : visible(JSON.stringify(key));
}

function showValue(value: JsonValue): string {
  if (typeof value === 'string' && value.includes('\n')) {
    return value
      .split('\n')
      .map((line) => `\n  | ${visible(line)}`)
      .join('');
  }
  if (typeof value !== 'object' || value === null) return visible(JSON.stringify(value));
  return visible(JSON.stringify(value, null, 2)).replaceAll('\n', '\n  ');
}
