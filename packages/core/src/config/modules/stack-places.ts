import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { SourceLocation } from '../../base/errors.ts';
import { ownFolder } from '../../base/own-folder.ts';
import { originInCompiled } from './compile-module.ts';

/** Where the calls stood that led to an error, the innermost first: in files, Node's own excepted. */
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
    // Some programs format stacks themselves: then the place is the one in the compiled code.
    yield { file, ...(originInCompiled(place, position.line, position.column ?? 1) ?? position) };
  }
}

/** Whether a file is the user's: not in a package, nor in this one. */
export function isUsers(file: string): boolean {
  return !file.includes('node_modules') && !file.startsWith(ownFolder);
}

/** The file that a stack or a message names, if it is there. */
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
    // What is thrown may have getters that throw themselves: it says no place.
    return '';
  }
}
