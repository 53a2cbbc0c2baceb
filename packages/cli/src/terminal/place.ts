import { isAbsolute, join, parse, relative } from 'node:path';

import type { SourceLocation } from '@shallot/core/plugin';

/** Formats `file:line:column`, as far as known; relative to a working directory if given. */
export function formatPlace({ file, line, column }: SourceLocation, cwd?: string): string {
  const path = cwd === undefined ? file : shortPath(file, cwd);
  return [path, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':');
}

/** Returns a path relative to the working directory, `.` for itself; paths outside of it stay absolute. */
export function shortPath(path: string, cwd: string): string {
  if (!isAbsolute(path)) return path;
  const short = relative(cwd, path);
  if (short === '') return '.';
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}

/** Shortens the paths in a sentence that are below the working directory. */
export function shortPaths(text: string, cwd: string): string {
  if (cwd === parse(cwd).root) return text;
  const folder = join(cwd, '/');
  return text.replaceAll(folder, (found, offset: number) => {
    const [before = ' ', after = ' '] = [text[offset - 1], text[offset + found.length]];
    return /[\s"'`([]/.test(before) && /[^\s"'`)\]]/.test(after) ? '' : found;
  });
}
