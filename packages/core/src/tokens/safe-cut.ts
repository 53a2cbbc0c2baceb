import type { Message } from '../contract/messages.ts';

/** A safe position to cut a history, and the messages that the cut drops and keeps. */
export interface SafeCut {
  /** The index of the cut: this message and all after it stay. */
  readonly at: number;
  /** The messages to drop, in order. */
  readonly dropped: readonly Message[];
  /** The messages to keep: leading system messages, the user's last message, and all from the cut on. */
  readonly kept: readonly Message[];
}

/**
 * Cuts a history near `at` and drops the messages before it; any model accepts the rest. The cut moves towards the
 * beginning to keep tool calls with their results. Leading system messages and the user's last message (without a
 * `source`) always stay. A second cut at the returned `at` changes nothing.
 */
export function safeCut(messages: readonly Message[], at: number): SafeCut {
  let cut = Math.max(0, Math.min(Math.trunc(at), messages.length));
  while (cut > 0 && messages[cut]?.role === 'tool') cut -= 1;
  const first = messages.findIndex(({ role }) => role !== 'system');
  const start = first === -1 ? messages.length : first;
  const user = messages.findLastIndex(({ role, source }) => role === 'user' && source === undefined);
  const stays = (index: number): boolean => index >= cut || index < start || index === user;
  return {
    at: cut,
    dropped: messages.filter((_, index) => !stays(index)),
    kept: messages.filter((_, index) => stays(index)),
  };
}
