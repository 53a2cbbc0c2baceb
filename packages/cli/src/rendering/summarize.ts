import type { Interrupt } from '@shallot/core';
import { visible } from '@shallot/core/plugin';

import { oneLine } from '../terminal/printable.ts';

/** Returns the call with its executed input, or the payload, on one line. */
export function summarize({ kind, call, payload }: Interrupt): string {
  const what = call === undefined ? JSON.stringify(payload) : `${call.name} ${JSON.stringify(call.input)}`;
  const output = call?.output === undefined ? '' : `, executed with ${JSON.stringify(call.output.value)}`;
  return `${oneLine(visible(kind))}: ${oneLine(visible(`${what}${output}`))}`;
}
