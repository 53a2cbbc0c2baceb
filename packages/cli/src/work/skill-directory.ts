import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

import type { Files } from '@shallot/core/files';
import { visible } from '@shallot/core/plugin';

import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { shortPath } from '../terminal/place.ts';

/** A typed directory of skills, or of one skill. */
export interface SkillDirectory {
  readonly files: Files;
  /** The directory's path in `files`. */
  readonly path: string;
  /** Returns a path of `files` relative to the working directory. */
  readonly show: (path: string) => string;
}

/** Opens a directory, which may be given by its SKILL.md. Rejects with a usage failure if it does not exist. */
export async function openSkillDirectory(typed: string, cwd: string): Promise<SkillDirectory> {
  const directory = realDirectory(resolve(cwd, typed), typed);
  // The root is the parent, because the name of a skill's directory matters.
  const root = dirname(directory);
  // Imported lazily, because this file is bundled with code of other commands.
  const { diskFiles } = await import('@shallot/core/files');
  return {
    files: diskFiles(root),
    path: `/${basename(directory)}`,
    show: (path) => visible(shortPath(join(root, path), cwd)),
  };
}

function realDirectory(path: string, typed: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
    if (basename(real).toLowerCase() === 'skill.md') return dirname(real);
  } catch (cause) {
    if (!isMissing(cause)) throw new CommandFailure(exitStatus.usage, { cause });
    throw new CommandFailure(exitStatus.usage, `There is no directory ${visible(typed)}.`);
  }
  throw new CommandFailure(exitStatus.usage, `${visible(typed)} is neither a directory nor a SKILL.md.`);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
