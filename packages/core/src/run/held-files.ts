import type { Frame } from '../hooks/frame.ts';
import { withFile } from '../sessions/content/with-file.ts';
import type { RecordWriter } from './record-writer.ts';
import { regainClaim } from './regain-claim.ts';
import type { RunParts } from './run-parts.ts';

/** Changes files of a run once it holds its claim on the session, and only then. */
export async function whileHeld<T>(run: RunParts, change: () => Promise<T>): Promise<T> {
  while (!run.record.session.isHeld) await regainClaim(run);
  return change();
}

/** Returns true if the session's `about` lists a file or folder, although its commit may still be in progress. */
export function isNoted({ session }: Pick<RecordWriter, 'session'>, path: string): boolean {
  return session.about?.files?.includes(path) === true;
}

/**
 * Adds a file or folder to the session's `about` before it is written, since only listed files are deleted with the
 * session. Resolves when the note is committed. `by` names the writer in errors. @throws `OPTION_INVALID` if the notes
 * become too large
 */
export async function noteFile(run: RunParts, path: string, by: string, frame?: Frame): Promise<void> {
  const { session } = run.record;
  while (!session.isHeld) await regainClaim(run, frame);
  if (isNoted(run.record, path)) return session.behind;
  await session.commit({ about: withFile(session, path, by), run: run.record.toRecord() });
}
