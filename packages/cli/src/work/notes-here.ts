import type { SessionNotes } from '@shallot/core/work';

import type { Screen } from '../terminal/screen.ts';

/** The longest path that the core takes. */
const maxLength = 200;

/** Returns what is noted with a session that a command begins: its directory, unless the path is odd or too long. */
export function notesHere({ io: { cwd } }: Screen): SessionNotes {
  return cwd.length > maxLength || /[\p{Cc}\p{Cs}]/u.test(cwd) ? {} : { cwd };
}
