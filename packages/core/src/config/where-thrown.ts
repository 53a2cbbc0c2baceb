import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { SourceLocation } from '../errors.ts';
import { originInCompiled } from './compile-module.ts';
import { positionAt } from './locate.ts';
import { ownFolder } from './own-folder.ts';

/** The place in a user's file that an error comes from, by its stack; not in a package, nor in this one. */
export function whereThrown(error: unknown): SourceLocation | undefined {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return undefined;
  for (const line of error.stack.split('\n')) {
    // Frames end in `file:line:column`; the stack of a syntax error begins with `file:line`.
    const match = /(?:^|\(|\bat (?:async )?)((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*?):(\d+)(?::(\d+))?\)?$/.exec(
      line,
    );
    const [, place = '', lineText, columnText] = match ?? [];
    const file = fileOf(place);
    if (file === undefined || file.includes('node_modules') || file.startsWith(ownFolder)) continue;
    const position = {
      line: Number(lineText),
      ...(columnText === undefined ? {} : { column: Number(columnText) }),
    };
    // Some programs format stacks themselves: then the place is the one in the compiled code.
    return { file, ...(originInCompiled(place, position.line, position.column ?? 1) ?? position) };
  }
  return whereImported(error.message);
}

/** Node's own errors about a missing import have no frame in the file that imports. */
function whereImported(message: string): SourceLocation | undefined {
  const [, missing = '', importer = ''] =
    /^Cannot find (?:package|module) '([^']+)' imported from (.+)$/m.exec(message) ?? [];
  const file = fileOf(importer);
  return file === undefined ? undefined : placeOfImport(missing, file);
}

/** Where a file imports something, by the name that is written there or the path that it means. */
export function placeOfImport(imported: string, file: string): SourceLocation {
  const source = readFileSync(file, 'utf8');
  for (const { 2: name = '', index } of source.matchAll(/(['"])([^'"\n]+)\1/g)) {
    if (name === imported || resolve(dirname(file), name) === imported)
      return { file, ...positionAt(source, index) };
  }
  return { file };
}

function fileOf(place: string): string | undefined {
  if (place === '') return undefined;
  const plain = place.replace(/\?.*$/, '');
  const file = plain.startsWith('file:') ? fileURLToPath(plain) : plain;
  return existsSync(file) ? file : undefined;
}
