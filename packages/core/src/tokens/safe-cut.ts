import type { Message } from '../contract/messages.ts';

/** Where a history can be cut in two, and what of the part before the cut stays all the same. */
export interface SafeCut {
  /** Everything from this index on stays. */
  readonly at: number;
  /** What goes, in order. */
  readonly dropped: readonly Message[];
  /** What stays: leading system messages, the last message of the user, and all from the cut on. */
  readonly kept: readonly Message[];
}

/**
 * Cuts a history so that about the messages before `at` go, and what is left can be sent to any model. The cut moves
 * towards the beginning so as not to part a tool call from its results. Leading system messages and the last message
 * that the user wrote (without a `source`) always stay. Cutting again at `at` changes nothing.
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
