import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { SourceLocation } from '../errors.ts';
import { positionAt } from './locate.ts';
import { originInServed } from './served-modules.ts';

/** The core's package: this file is two levels down, as a source and as a build. */
const ownFolder = join(import.meta.dirname, '..', '..', '/');

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
    return { file, ...(originInServed(place, position.line, position.column ?? 1) ?? position) };
  }
  return whereImported(error.message);
}

/** Node's own errors about a missing import have no frame in the file that imports. */
function whereImported(message: string): SourceLocation | undefined {
  const [, missing = '', importer = ''] =
    /^Cannot find (?:package|module) '([^']+)' imported from (.+)$/m.exec(message) ?? [];
  const file = fileOf(importer);
  if (file === undefined) return undefined;
  const source = readFileSync(file, 'utf8');
  const offset = [`'${missing}'`, `"${missing}"`]
    .map((quoted) => source.indexOf(quoted))
    .find((place) => place !== -1);
  return offset === undefined ? { file } : { file, ...positionAt(source, offset) };
}

function fileOf(place: string): string | undefined {
  if (place === '') return undefined;
  const plain = place.replace(/\?.*$/, '');
  const file = plain.startsWith('file:') ? fileURLToPath(plain) : plain;
  return existsSync(file) ? file : undefined;
}
