import type { JsonValue, ToolCall, ToolResult } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';

import { mapStrings } from './map-strings.ts';
import { placeholdersIn } from './originals.ts';
import { redacted, type Action } from './replacements.ts';

/** Returns a function that returns the first replacement in arguments that has no known value; undefined without one. */
export function markFinder(actions: ReadonlyMap<string, Action>): (input: JsonValue) => string | undefined {
  const plain = [...actions].flatMap(([kind, action]) => (action === 'redact' ? [redacted(kind)] : []));
  const hashes = [...actions].flatMap(([kind, action]) => (action === 'hash' ? [`[${kind} #`] : []));
  const isEmailMasked = actions.get('email') === 'mask';
  const markIn = (text: string): string | undefined => {
    const mark =
      placeholdersIn(text).find((each) => isOf(each, actions)) ?? plain.find((each) => text.includes(each));
    if (mark !== undefined) return mark;
    const start = hashes.find((each) => text.includes(each));
    if (start !== undefined) return `${start}…]`;
    return isEmailMasked && text.includes('***@') ? '***@…' : undefined;
  };
  return (input) => {
    let first: string | undefined;
    mapStrings(input, (text, _keys, isNumber) => {
      if (!isNumber) first ??= markIn(text);
      return text;
    });
    return first;
  };
}

function isOf(mark: string, actions: ReadonlyMap<string, Action>): boolean {
  const name = mark.slice(1, mark.lastIndexOf('_')).toLowerCase().replaceAll('_', '-');
  return actions.get(name) === 'placeholder';
}

/** Returns the error result for a call whose arguments contain a replacement without a known value. */
export function refusedFor(mark: string, why: string, { name }: ToolCall, by: string): ToolResult {
  const reason = `its arguments hold ${mark}, and ${why}`;
  const text = `The call of ${name} was refused by ${by}: ${reason}. Call it without that value.`;
  return { content: [textPart(text)], isError: true, denied: { by, reason } };
}
