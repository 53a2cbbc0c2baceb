import { isAbsolute, relative } from 'node:path';

import type { SourceLocation } from '@shallot/core/plugin';

/** Formats `file:line:column`, as far as known; relative to a working directory if given. */
export function formatPlace({ file, line, column }: SourceLocation, cwd?: string): string {
  const path = cwd === undefined ? file : shortPath(file, cwd);
  return [path, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':');
}

/** Returns a path relative to the working directory; paths outside of it stay absolute. */
export function shortPath(path: string, cwd: string): string {
  if (!isAbsolute(path)) return path;
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short;
}
