import { messageOf } from '@shallot/core';

/** An error's message as part of a sentence. */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '');
}
