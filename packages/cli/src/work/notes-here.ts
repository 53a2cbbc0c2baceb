import type { SessionNotes } from '@shallot/core/work';

import type { Screen } from '../terminal/screen.ts';
import { titleOf } from './title-of.ts';

/** The longest path that the core takes. */
const maxLength = 200;

/**
 * Returns the notes for a session that a command begins: the first words of its message as the title, and its
 * directory, unless the path contains control characters or is too long.
 */
export function notesHere({ io: { cwd }, redactor }: Screen, text: string): SessionNotes {
  const title = titleOf(redactor.text(text));
  const isOdd = cwd.length > maxLength || /[\p{Cc}\p{Cs}]/u.test(cwd);
  return { ...(title !== undefined && { title }), ...(!isOdd && { cwd }) };
}
