import type { Message, UserMessage } from '@shallot/core';

/** Returns true for a message of the user's own; false for one that a plugin wrote with the same role. */
export function isOfUser(message: Message): message is UserMessage {
  return message.role === 'user' && message.source === undefined;
}
