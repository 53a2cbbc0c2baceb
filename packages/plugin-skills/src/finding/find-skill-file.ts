import type { FileEntry, Files } from '@shallot/core/files';

/** The maximum size of a SKILL.md, in bytes. */
const maxFileBytes = 10 * 1024 * 1024;

/**
 * Returns the revision of a skill's file; undefined if it does not exist. @throws if it is too large, is not a regular
 * file, or cannot be accessed
 */
export async function revisionOf(files: Files, path: string): Promise<string | undefined> {
  const stat = await files.stat(path);
  if (stat === undefined) return undefined;
  if (stat.size > maxFileBytes) throw new Error(`it has ${stat.size} bytes; the limit is ${maxFileBytes}`);
  return stat.revision;
}

/**
 * Returns the file that makes a directory a skill, from the entries of the directory: `SKILL.md`, or the same name in other
 * letter cases. An entry with the exact name that is not a file is returned, too, so that it can be reported. Undefined
 * without such an entry.
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
