import type { Message } from '@shallot/core';

/**
 * The ids of calls of the provider that have no result before the conversation goes on, and of results without their call. A
 * run that was given up leaves such, or a summary; providers refuse both, each time.
 */
export function looseBlocks(messages: readonly Message[]): ReadonlySet<string> {
  const loose = new Set<string>();
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'user' || message.role === 'system') {
      for (const id of open) loose.add(id);
      open.clear();
    }
    if (message.role !== 'assistant') continue;
    for (const part of message.content) {
      if (part.type === 'provider-call') open.add(part.id);
      else if (part.type === 'provider-result' && !open.delete(part.callId)) loose.add(part.callId);
    }
  }
  return loose;
}
