import { isAbsolute, relative } from 'node:path';

import type { SourceLocation } from '@shallot/core/plugin';

/** `file:line:column`, as far as they are known; with a working directory as one would type it there. */
export function formatPlace({ file, line, column }: SourceLocation, cwd?: string): string {
  const path = cwd === undefined ? file : shortPath(file, cwd);
  return [path, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':');
}

/** A path as one would type it in the working directory; one outside of it stays absolute. */
export function shortPath(path: string, cwd: string): string {
  if (!isAbsolute(path)) return path;
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short;
}
