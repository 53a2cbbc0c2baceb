import type { Files } from '../files/files.ts';
import type { Frame } from '../hooks/frame.ts';
import { withFile } from '../sessions/content/with-file.ts';
import type { RecordWriter } from './record-writer.ts';
import { regainClaim } from './regain-claim.ts';
import type { RunParts } from './run-parts.ts';

/** Returns files whose changes are allowed only while the run holds its claim on the session. */
export function heldFiles(run: RunParts, files: Files): Files {
  async function whileHeld<T>(change: () => Promise<T>): Promise<T> {
    while (!run.record.session.isHeld) await regainClaim(run);
    return change();
  }

  return {
    get root() {
      return files.root;
    },
    identity: files.identity ?? files,
    list: (path, options) => files.list(path, options),
    stat: (path, options) => files.stat(path, options),
    read: (path, options) => files.read(path, options),
    readText: (path, options) => files.readText(path, options),
    ...(files.smallFiles === undefined ? {} : { smallFiles: files.smallFiles.bind(files) }),
    ...(files.realPath === undefined ? {} : { realPath: files.realPath.bind(files) }),
    ...(files.isUnlocked === undefined ? {} : { isUnlocked: files.isUnlocked.bind(files) }),
    ...(files.protect === undefined ? {} : { protect: files.protect.bind(files) }),
    write: (path, data, options) => whileHeld(() => files.write(path, data, options)),
    append: (path, data, options) => whileHeld(() => files.append(path, data, options)),
    remove: (path, options) => whileHeld(() => files.remove(path, options)),
  };
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
