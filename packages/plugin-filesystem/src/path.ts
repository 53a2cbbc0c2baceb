import type { Files } from '@shallot/core/files';
import { replaceHidden } from '@shallot/core/plugin';

import type { IgnoreRules } from './ignore-rules.ts';
import { Refusal } from './refusal.ts';

/** The one spelling of a path that a model writes: `/a/b` for `a//./b/`. What is wrong with it is left to the files. */
export function fullPath(path: string): string {
  return `/${path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/')}`;
}

/** The path of a file or directory that the tools may reach, also where a link leads. @throws `Refusal` */
export async function reachable(
  path: string,
  kind: 'file' | 'directory',
  rules: IgnoreRules,
  files: Files,
): Promise<string> {
  const full = fullPath(path);
  if (!rules.covers(full, kind) && !rules.covers((await files.realPath?.(full)) ?? full, kind)) return full;
  throw new Refusal(`${showPath(full)} is out of reach: these tools do not touch it.`);
}

/**
 * A path on one line: as it is, or in quotes if it has control or hidden characters, written as in JSON, so that a model
 * can name the file.
 */
export function showPath(path: string): string {
  const quoted = JSON.stringify(path);
  const shown = replaceHidden(quoted, escapeUnits);
  return shown === `"${path}"` ? path : shown;
}

function escapeUnits(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => String.raw`\u` + character.charCodeAt(index).toString(16).padStart(4, '0'),
  ).join('');
}
