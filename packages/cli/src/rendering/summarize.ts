import type { Interrupt } from '@shallot/core';
import { visible } from '@shallot/core/plugin';

import { oneLine } from '../terminal/printable.ts';

/** Returns the call with its executed input, or the payload, on one line. */
export function summarize({ kind, call, payload }: Interrupt): string {
  const what = call === undefined ? JSON.stringify(payload) : `${call.name} ${JSON.stringify(call.input)}`;
  const output = call?.output === undefined ? '' : `, executed with ${JSON.stringify(call.output.value)}`;
  return `${oneLine(visible(kind))}: ${oneLine(visible(`${what}${output}`))}`;
}

/** Returns a note that names the plugin that asks, and its subagent if there is one. */
export function askedBy(interrupt: Interrupt): string {
  return `asked by ${visible(interrupt.plugin)}${inSubagent(interrupt)}`;
}

/** Returns a note about the subagent that asks a question; an empty string if no subagent asks. */
export function inSubagent({ address }: Interrupt): string {
  return address?.parent === undefined ? '' : `, in the subagent ${oneLine(visible(address.agent))}`;
}
