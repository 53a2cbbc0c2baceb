import type { JsonValue } from '@shallot/core';
import { messageOf, visible } from '@shallot/core/plugin';

import { oneLine } from '../terminal/printable.ts';

/** Parses JSON that a person typed. A problem is a sentence to show them. */
export function parseJson(text: string): { readonly value: JsonValue } | { readonly problem: string } {
  try {
    // JSON.parse returns JSON.
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { problem: `This is not JSON: ${oneLine(visible(messageOf(error)))}` };
  }
}
