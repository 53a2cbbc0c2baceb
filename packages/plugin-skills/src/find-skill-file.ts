import type { FileEntry, Files } from '@shallot/core/files';

/** How large a SKILL.md may be. */
const maxFileBytes = 10 * 1024 * 1024;

/**
 * Finds the file that makes a directory a skill: `SKILL.md`, or the same in other letters. Undefined when there is none.
 * @throws when it is too large, is no regular file, or cannot be looked at
 */
export async function findSkillFile(
  files: Files,
  directory: string,
): Promise<{ readonly path: string; readonly revision: string } | undefined> {
  let path = inDirectory(directory, 'SKILL.md');
  let stat = await files.stat(path);
  if (stat === undefined) {
    const other = (await files.list(directory)).find(isSkillFile);
    if (other === undefined) return undefined;
    ({ path } = other);
    stat = await files.stat(path);
  }
  if (stat === undefined) return undefined;
  if (stat.size > maxFileBytes) throw new Error(`it has ${stat.size} bytes; the limit is ${maxFileBytes}`);
  return { path, revision: stat.revision };
}

/**
 * The directories in a source that may be skills, hidden ones left out, and what could have been one but leads out of the
 * files, or nowhere.
 */
export async function skillDirectories(
  files: Files,
  source: string,
): Promise<{ readonly directories: readonly string[]; readonly unreachable: readonly string[] }> {
  const entries = (await files.list(source, { all: true })).filter(
    ({ path }) => !nameOf(path).startsWith('.'),
  );
  const pathsOf = (wanted: FileEntry['kind']): string[] =>
    entries.filter(({ kind }) => kind === wanted).map(({ path }) => path);
  return { directories: pathsOf('directory'), unreachable: pathsOf('other') };
}

/** Why such an entry is no skill. */
export const unreachableReason =
  'it is a link that is broken or leaves the files, a pipe, a socket or a device';

export function inDirectory(directory: string, name: string): string {
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`;
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isSkillFile({ kind, path }: FileEntry): boolean {
  return kind === 'file' && nameOf(path).toLowerCase() === 'skill.md';
}
