import type { FileEntry, Files } from '@shallot/core/files';

/** The maximum size of a SKILL.md, in bytes. */
const maxFileBytes = 10 * 1024 * 1024;

/** The revision of a skill's file. @throws when it is too large, is no regular file, or cannot be looked at */
export async function revisionOf(files: Files, path: string): Promise<string | undefined> {
  const stat = await files.stat(path);
  if (stat === undefined) return undefined;
  if (stat.size > maxFileBytes) throw new Error(`it has ${stat.size} bytes; the limit is ${maxFileBytes}`);
  return stat.revision;
}

/**
 * The file that makes a directory a skill, by what is in the directory: `SKILL.md`, or the same in other letters. What
 * bears the name and is no file is found too, so that it can be reported.
 */
export function skillFileIn(entries: readonly FileEntry[]): string | undefined {
  const exact = entries.find(({ path }) => nameOf(path) === 'SKILL.md');
  const other = entries.find(
    ({ kind, path }) => kind === 'file' && nameOf(path).toLowerCase() === 'skill.md',
  );
  return (exact ?? other)?.path;
}

/** Returns the last segment of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
