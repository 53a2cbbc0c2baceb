import { createHash } from 'node:crypto';

import type { ToolCall } from '@shallot/core';
import type { ToolScope } from '@shallot/core/plugin';

/** What is kept of a call, by what it is. */
export type OnceForCall = <T>(what: string, fn: () => T | Promise<T>) => Promise<T>;

/** `once` for exactly this call: what is kept of another tool's call, or of one with other arguments, does not count. */
export function onceForCall({ name, input }: ToolCall, scope: ToolScope): OnceForCall {
  const digest = createHash('sha256')
    .update(JSON.stringify([name, input]))
    .digest('base64url');
  return (what, fn) => scope.once(`${what}:${digest}`, fn);
}
