import { readdirSync, statSync, type Dirent } from 'node:fs';
import { join, resolve } from 'node:path';

import { commonStart, type Completion } from '../keyboard/complete-word.ts';
import { leadsOutOf } from './attach-files.ts';

/** A mention at the end of a text: `@` and the start of a path, or `@"` and a path that may contain spaces. */
const begun = /(?<=^|\s)@(?:"([^"\n]*)|((?!")\S*))$/;

/**
 * Completes the path of a mention at the end of a text, up to the common prefix of the files that match. Returns
 * undefined if the text does not end in one. Files outside of the folder do not match, and hidden ones only after a dot.
 */
export function completeMention(
  text: string,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): Completion | undefined {
  const [mention, quoted, bare = ''] = begun.exec(text) ?? [];
  if (mention === undefined) return undefined;
  const path = platform === 'win32' ? (quoted ?? bare).replaceAll('\\', '/') : (quoted ?? bare);
  const [directory = '', prefix = ''] = /^(.*\/)?(.*)$/s.exec(path)?.slice(1) ?? [];
  const choices = namesIn(resolve(folder, directory), prefix, folder);
  const start = commonStart(choices);
  if (start === undefined) return { text, choices };
  const isFile = choices.length === 1 && !start.endsWith('/');
  const completed = written(directory + start, { isQuoted: quoted !== undefined, isFile });
  return { text: text.slice(0, -mention.length) + completed, choices };
}

/** Returns the matching names in a directory, sorted; those of directories end in a slash. */
function namesIn(directory: string, prefix: string, folder: string): readonly string[] {
  const start = prefix.normalize();
  return (
    entriesOf(directory, folder)
      .filter(({ name }) => isMentionable(name) && name.startsWith('.') === start.startsWith('.'))
      // macOS may store accents in file names as separate characters.
      .filter(({ name }) => name.normalize().startsWith(start))
      .flatMap((entry) => shownName(entry, folder))
      .toSorted()
  );
}

function entriesOf(directory: string, folder: string): readonly Dirent[] {
  if (leadsOutOf(directory, folder)) return [];
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    // There is no such directory, or it may not be read: nothing matches.
    return [];
  }
}

/** Returns false for a name that no mention can contain. */
function isMentionable(name: string): boolean {
  return !/["\p{Cc}]/u.test(name);
}

/** Returns the name of an entry; none for a link that leads out of the folder, or nowhere. */
function shownName(entry: Dirent, folder: string): string | [] {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isSymbolicLink()) return entry.isDirectory() ? `${entry.name}/` : entry.name;
  const target = leadsOutOf(path, folder) ? undefined : statSync(path, { throwIfNoEntry: false });
  if (target === undefined) return [];
  return target.isDirectory() ? `${entry.name}/` : entry.name;
}

function written(path: string, { isQuoted, isFile }: { isQuoted: boolean; isFile: boolean }): string {
  const needsQuotes = isQuoted || /\s/.test(path);
  const end = isFile ? ' ' : '';
  return needsQuotes ? `@"${path}${isFile ? '"' : ''}${end}` : `@${path}${end}`;
}
