import type { JsonValue, ToolCall, ToolResult } from '@shallot/core';
import { textPart } from '@shallot/core/plugin';

import { mapStrings } from './map-strings.ts';
import { placeholdersIn } from './originals.ts';
import { redacted, type Action } from './replacements.ts';

/** Returns the replacements in arguments that have no known value. */
export function marksIn(input: JsonValue, actions: ReadonlyMap<string, Action>): readonly string[] {
  const marks = new Set<string>();
  const plain = [...actions].flatMap(([kind, action]) => (action === 'redact' ? [redacted(kind)] : []));
  const hashes = [...actions].flatMap(([kind, action]) => (action === 'hash' ? [`[${kind} #`] : []));
  mapStrings(input, (text, _keys, isNumber) => {
    if (isNumber) return text;
    for (const mark of placeholdersIn(text)) if (isOf(mark, actions)) marks.add(mark);
    for (const mark of plain) if (text.includes(mark)) marks.add(mark);
    for (const start of hashes) if (text.includes(start)) marks.add(`${start}…]`);
    if (actions.get('email') === 'mask' && text.includes('***@')) marks.add('***@…');
    return text;
  });
  return [...marks];
}

function isOf(mark: string, actions: ReadonlyMap<string, Action>): boolean {
  const name = mark.slice(1, mark.lastIndexOf('_')).toLowerCase().replaceAll('_', '-');
  return actions.get(name) === 'placeholder';
}

/** Returns the error result for a call with such a replacement. */
export function refusedFor(mark: string, why: string, { name }: ToolCall, by: string): ToolResult {
  const reason = `its arguments hold ${mark}, and ${why}`;
  const text = `The call of ${name} was refused by ${by}: ${reason}. Call it without that value.`;
  return { content: [textPart(text)], isError: true, denied: { by, reason } };
}
