import { lstatSync } from 'node:fs';
import { join } from 'node:path';

import { ShallotError } from '../../base/errors.ts';
import type { Guard } from '../open-place.ts';
import { foldName, joinPath, quotePath } from '../path.ts';
import { isLoadedFile } from './loaded-files.ts';
import {
  bareRepository,
  loadedFile,
  protectedNames,
  unlockNames,
  type ProtectedName,
} from './protected-names.ts';

/** A file or directory below a root: its names contain no links. */
interface RealPlace {
  /** The absolute path of the root on this machine. */
  readonly root: string;
  readonly names: readonly string[];
}

interface FittingName {
  readonly kind: ProtectedName;
  readonly fits: RegExp;
}

type Access = 'read' | 'write';

/** Decides which files of a directory tools may not change, and which of these they may not read either. */
export class Protection {
  readonly #names: readonly FittingName[];
  readonly #unreadableNames: readonly FittingName[];
  readonly #open: readonly string[];
  readonly #isRepositoryOpen: boolean;
  readonly #isLoadedOpen: boolean;
  /** True if anything is unlocked. */
  readonly isAnyOpen: boolean;

  /** `unlock` lists names of `protectedNames`, and paths from the root on. @throws `OPTION_INVALID` */
  constructor(unlock: readonly string[] = []) {
    for (const name of unlock) {
      const advice = adviseUnlock(name);
      if (advice === undefined) continue;
      const message = `diskFiles cannot unlock ${JSON.stringify(name)}: ${advice}.`;
      throw new ShallotError('OPTION_INVALID', { message });
    }
    this.#open = unlock
      .filter((name) => name.startsWith('/'))
      .map((path) => foldName(path).replace(/\/+$/, ''));
    this.#names = protectedNames
      .filter(({ name }) => !unlock.includes(name))
      .map((kind) => ({ kind, fits: toRegExp(kind) }));
    this.#unreadableNames = this.#names.filter(({ kind }) => kind.unreadable === true);
    this.#isRepositoryOpen = unlock.includes(bareRepository.name);
    this.isAnyOpen = unlock.length > 0;
    this.#isLoadedOpen = unlock.includes(loadedFile.name);
  }

  /** @throws `FILE_PROTECTED` for a place that may not be read or changed; `path` is the requested path */
  check(place: RealPlace, access: Access, path: string): void {
    const found = access === 'read' ? this.#unreadable(place) : this.#unwritable(place);
    if (found === undefined) return;
    const real = joinPath(place.names);
    const which = quotePath(path) + (real === path ? '' : ` (${quotePath(real)})`);
    const what = access === 'read' ? 'read' : 'changed';
    throw new ShallotError('FILE_PROTECTED', {
      message: `${which} is protected, and cannot be ${what} by tools: ${found.why}. Leave it to a person, who can name "${found.name}" or the path in \`unlock\`.`,
    });
  }

  /** Returns true for a place that may be read or changed only because it is unlocked. */
  opens(place: RealPlace, access: Access): boolean {
    return this.isAnyOpen && !this.#covers(place, access) && new Protection().#covers(place, access);
  }

  #covers(place: RealPlace, access: Access): boolean {
    return (access === 'read' ? this.#unreadable(place) : this.#unwritable(place)) !== undefined;
  }

  /** Returns a guard for opening a path. Missing directories above an unlocked path may be created. */
  guard(access: Access, path: string): Guard {
    return ({ root, names: above }, name = '.', kind) => {
      const names = name === '.' ? above : [...above, name];
      if (kind === 'missing-directory' && this.#leadsToUnlocked(names)) return;
      this.check({ root, names }, access, path);
    };
  }

  /** Returns true if a listing shows this entry of a directory that may be read. */
  isShown(place: RealPlace): boolean {
    // This quick check comes first, because listings have many names, and most of them match nothing.
    const name = `/${foldName(place.names.at(-1) ?? '')}`;
    return (
      !this.#unreadableNames.some(({ fits }) => fits.test(name)) || this.#unreadable(place) === undefined
    );
  }

  #unreadable(place: RealPlace): ProtectedName | undefined {
    return this.#byName(place, this.#unreadableNames);
  }

  #unwritable(place: RealPlace): ProtectedName | undefined {
    const found = this.#byName(place, this.#names);
    if (found !== undefined || this.#isUnlocked(place)) return found;
    const { root, names } = place;
    if (!this.#isLoadedOpen && isLoadedFile(join(root, ...names))) return loadedFile;
    return !this.#isRepositoryOpen && isInRepository(place) ? bareRepository : undefined;
  }

  #byName(place: RealPlace, names: readonly FittingName[]): ProtectedName | undefined {
    const path = foldName(joinPath(place.names));
    const found = names.find(({ fits }) => fits.test(path))?.kind;
    return found === undefined || this.#isUnlocked(place) ? undefined : found;
  }

  #leadsToUnlocked(names: readonly string[]): boolean {
    const path = `${foldName(joinPath(names))}/`;
    return this.#open.some((open) => open.startsWith(path));
  }

  #isUnlocked({ names }: RealPlace): boolean {
    if (this.#open.length === 0) return false;
    const path = foldName(joinPath(names));
    return this.#open.some((open) => path === open || path.startsWith(`${open}/`));
  }
}

/** Returns advice for a name that `unlock` does not accept; undefined for an accepted name. */
export function adviseUnlock(name: string): string | undefined {
  if (unlockNames.includes(name) || /^\/[^/]/.test(name)) return undefined;
  return `write a path that begins with "/", or one of ${unlockNames.join(', ')}`;
}

/**
 * Returns a pattern for the names of a protected kind, as whole segments of a folded path, except for the names in
 * `except`.
 */
function toRegExp({ patterns, except = [] }: ProtectedName): RegExp {
  const source = (pattern: string): string =>
    pattern.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '[^/]*');
  const but = except.length === 0 ? '' : `(?!(?:${except.map(source).join('|')})(?:/|$))`;
  return new RegExp(`/${but}(?:${patterns.map(source).join('|')})(?:/|$)`);
}

const repositoryNames: ReadonlySet<string> = new Set(['head', 'objects', 'refs', 'commondir']);

/**
 * Returns true if git would take a directory above a file for a repository once the file is written: HEAD beside objects
 * and refs, or beside `commondir`, which leads to them.
 */
function isInRepository({ root, names }: RealPlace): boolean {
  return names.some((name, depth) => {
    const directory = join(root, ...names.slice(0, depth));
    const added = repositoryNames.has(foldName(name)) ? foldName(name) : undefined;
    const has = (entry: string): boolean =>
      added === entry.toLowerCase() ||
      lstatSync(join(directory, entry), { throwIfNoEntry: false }) !== undefined;
    return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
  });
}
