import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { SourceLocation } from '../../base/errors.ts';
import { ownFolder } from '../../base/own-folder.ts';
import { originInCompiled } from './compile-module.ts';

/** Yields the locations in an error's stack, the innermost first, without those in Node. */
export function* stackPlaces(error: unknown): Generator<SourceLocation, void> {
  for (const line of stackOf(error).split('\n')) {
    // Frames end in `file:line:column`; the stack of a syntax error begins with `file:line`.
    const match = /(?:^|\(|\bat (?:async )?)((?:file:\/\/|\/|[A-Za-z]:\\).*?):(\d+)(?::(\d+))?\)?$/.exec(
      line,
    );
    const [, place = '', lineText, columnText] = match ?? [];
    const file = fileOf(place);
    if (file === undefined) continue;
    const position = {
      line: Number(lineText),
      ...(columnText === undefined ? {} : { column: Number(columnText) }),
    };
    // Programs with their own stack format show positions in the compiled code.
    yield { file, ...(originInCompiled(place, position.line, position.column ?? 1) ?? position) };
  }
}

/** Returns true for the user's files: neither in a package nor in the core. */
export function isUsers(file: string): boolean {
  return !file.includes('node_modules') && !file.startsWith(ownFolder);
}

/** Returns the file that a stack or a message names, if it exists. */
export function fileOf(place: string): string | undefined {
  if (place === '') return undefined;
  const plain = place.replace(/\?.*$/, '');
  const file = plain.startsWith('file:') ? fileURLToPath(plain) : plain;
  return existsSync(file) ? file : undefined;
}

function stackOf(error: unknown): string {
  try {
    return error instanceof Error && typeof error.stack === 'string' ? error.stack : '';
  } catch {
    // A thrown value may have getters that throw.
    return '';
  }
}
