import type { SessionSummary } from '@shallot/core/store';

import { isoTime } from './iso-time.ts';

/** A session's summary in output for programs: with times as text, and without the cursor of the listing. */
export type ListedSession = Omit<SessionSummary, 'createdAt' | 'updatedAt' | 'cursor'> & {
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** Returns a summary as `--json` prints it. */
export function listedSession({
  createdAt,
  updatedAt,
  cursor: _,
  ...summary
}: SessionSummary): ListedSession {
  return { ...summary, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}
