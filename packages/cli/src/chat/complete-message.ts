import { completeWord } from '../keyboard/complete-word.ts';
import type { Draft } from '../keyboard/draft.ts';
import type { DraftCompletion } from '../keyboard/message-line.ts';
import { completeMention } from './complete-mention.ts';

export interface CompletionSources {
  /** The commands. */
  readonly names: readonly string[];
  /** The folder of the files that a message may mention. */
  readonly folder: string;
}

/** Completes what is before the cursor: the path of a mentioned file, or the command that the message starts with. */
export function completeMessage(
  { text, cursor }: Draft,
  { names, folder }: CompletionSources,
): DraftCompletion {
  const before = text.slice(0, cursor);
  const { text: completed, choices } = completeMention(before, folder) ?? completeWord(before, names);
  return { draft: { text: completed + text.slice(cursor), cursor: completed.length }, choices };
}
