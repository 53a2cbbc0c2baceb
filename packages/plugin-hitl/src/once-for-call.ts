import { createHash } from 'node:crypto';

import type { ToolCall } from '@shallot/core';
import type { ToolScope } from '@shallot/core/plugin';

/** Stores a value for the call under a name. */
export type OnceForCall = <T>(what: string, fn: () => T | Promise<T>) => Promise<T>;

/** Returns `once` for exactly this call: values stored for another tool or other arguments do not count. */
export function onceForCall({ name, input }: ToolCall, scope: ToolScope): OnceForCall {
  const digest = createHash('sha256')
    .update(JSON.stringify([name, input]))
    .digest('base64url');
  return (what, fn) => scope.once(`${what}:${digest}`, fn);
}
