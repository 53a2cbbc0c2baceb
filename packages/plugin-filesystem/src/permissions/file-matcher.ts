import { isShallotError, type ToolCall } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { rootedPath, type CallMatcher, type Touch } from '@shallot/core/plugin';

import { isFile } from '../is-file.ts';
import type { FileToolName } from '../options.ts';
import { entryPath } from './judged-files.ts';
import { advisePathRule, PathRule } from './path-rule.ts';
import { pathTouch, type PathAccess } from './path-touch.ts';

const accesses: Readonly<Record<FileToolName, PathAccess>> = {
  ls: 'list',
  read_file: 'read',
  write_file: 'write',
  edit_file: 'write',
  delete_file: 'write',
  glob: 'walk',
  grep: 'walk',
};

/**
 * Returns the matcher by which permission rules judge calls of the tools: by the path that a call names, and by the
 * path to which its links lead.
 */
export function fileMatcher(prefix: string, tools: readonly FileToolName[]): CallMatcher {
  const byName = new Map(tools.map((name) => [`${prefix}${name}`, accesses[name]]));
  return {
    subjects: ['read', 'edit'],
    tools: () => [...byName.keys()],
    advise: advisePathRule,
    within: (pattern, wider) => new PathRule(wider).covers(new PathRule(pattern)),
    touches: async ({ name, input }, { files }) => {
      const access = byName.get(name);
      const isRemoval = name === `${prefix}delete_file`;
      const path = pathOf(input);
      return access === undefined || path === undefined
        ? undefined
        : touchesOf(path, { access, isRemoval }, files);
    },
  };
}

function pathOf(input: ToolCall['input']): string | undefined {
  const path: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'path') : undefined;
  if (path === undefined) return '/';
  return typeof path === 'string' ? path : undefined;
}

async function touchesOf(
  given: string,
  { access, isRemoval }: { readonly access: PathAccess; readonly isRemoval: boolean },
  files: Files,
): Promise<readonly Touch[] | undefined> {
  try {
    const path = await rootedPath(given, files);
    if (path.split('/').includes('..')) return undefined;
    const real = (await files.realPath?.(path)) ?? path;
    // A search through one file reads no more than the file.
    const kind = access === 'walk' && (await isFile(files, real)) ? 'read' : access;
    const isUnlocked = files.isUnlocked?.(real, kind === 'write' ? 'write' : 'read') === true;
    const paths = [path, real, ...(isRemoval ? [await entryPath(files, path)] : [])];
    return [...new Set(paths)].map((each) => pathTouch(each, kind, isUnlocked));
  } catch (error) {
    // The files refuse such a path to the tool, too.
    if (isShallotError(error)) return undefined;
    throw error;
  }
}
