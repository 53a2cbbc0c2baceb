import { Transform } from 'node:stream';

import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { JsonValue } from '@shallot/core';
import { isJsonObject } from '@shallot/core/plugin';

/** Creates a stream that forwards lines of the protocol, and counts the updates among them. */
export function countUpdates(): { readonly stream: Transform; readonly count: () => number } {
  let counted = 0;
  let rest = '';
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      // Each line is one JSON value.
      const messages = lines.filter(Boolean).map((line) => JSON.parse(line) as JsonValue);
      counted += messages.filter((each) => isJsonObject(each) && each['method'] === 'session/update').length;
      done(null, chunk);
    },
  });
  return { stream, count: () => counted };
}

const ends = new Set<unknown>(['completed', 'failed']);

/**
 * Returns the faults in the updates about tool calls that an editor received on one connection after one load. With
 * `isQuiet`, calls that have not ended are faults too.
 */
export function faultsOfCalls(updates: readonly SessionUpdate[], isQuiet: boolean): string[] {
  const open = new Set<string>();
  const ended = new Set<string>();
  const faults: string[] = [];
  for (const update of updates) {
    if (update.sessionUpdate === 'tool_call') {
      const { toolCallId } = update;
      if (open.has(toolCallId) || ended.has(toolCallId)) faults.push(`${toolCallId} was announced twice`);
      open.add(toolCallId);
    } else if (update.sessionUpdate === 'tool_call_update') {
      const { toolCallId, status } = update;
      if (!open.has(toolCallId)) faults.push(`${toolCallId} was not open for an update to ${String(status)}`);
      if (ends.has(status) && open.delete(toolCallId)) ended.add(toolCallId);
    }
  }
  if (isQuiet) for (const id of open) faults.push(`${id} was never ended`);
  return faults;
}
