import type { JsonValue } from '@shallot/core';
import { type CallOutput, visible } from '@shallot/core/plugin';

/** All arguments of a call for a person's eyes, one a line; text of several lines is a block of `| ` lines. */
export function showArguments(input: JsonValue): string {
  if (!isObject(input)) return showValue(input);
  const entries = Object.entries(input);
  if (entries.length === 0) return '(no arguments)';
  return entries.map(([key, value]) => `${showKey(key)}: ${showValue(value)}`).join('\n');
}

/** The same of what a tool's schema made of them; what is no JSON is named as such. */
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

function isObject(input: JsonValue): input is Readonly<Record<string, JsonValue>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}
