import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import type { SourceLocation } from '../../base/errors.ts';
import { messageOf } from '../../base/thrown.ts';
import { firstJsonError } from './first-json-error.ts';
import { positionAt } from './locate.ts';
import { fileOf, isUsers, stackPlaces } from './stack-places.ts';

/**
 * Finds the location in a user's file that threw an error, from its stack or else its message. Skips packages and
 * Shallot itself. Returns undefined if it finds none.
 */
export function whereThrown(error: unknown): SourceLocation | undefined {
  for (const place of stackPlaces(error)) {
    if (isUsers(place.file)) return place;
  }
  return whereNamed(error);
}

/** Returns the location that an error's message names; undefined if it names none. */
export function whereNamed(error: unknown): SourceLocation | undefined {
  const message = messageOf(error);
  return whereImported(message) ?? whereBroken(message);
}

/** Node's errors about missing imports have no stack frame in the importing file. */
function whereImported(message: string): SourceLocation | undefined {
  const [, missing = '', importer = ''] =
    /^Cannot find (?:package|module) '([^']+)' imported from (.+)$/m.exec(message) ?? [];
  const file = fileOf(importer);
  return file === undefined ? undefined : placeOfImport(missing, file);
}

/** Node names a package.json that it cannot parse, but no position in it. */
function whereBroken(message: string): SourceLocation | undefined {
  const file = fileOf(/^Invalid package config (.+?package\.json)/.exec(message)?.[1] ?? '');
  if (file === undefined) return undefined;
  const text = readFileSync(file, 'utf8');
  return { file, ...positionAt(text, firstJsonError(text)) };
}

/**
 * Returns the location at which a file imports a module, given its name or resolved path; the file alone if that is not
 * found.
 */
export function placeOfImport(imported: string, file: string): SourceLocation {
  const source = readFileSync(file, 'utf8');
  for (const { 2: name = '', index } of source.matchAll(/(['"])([^'"\n]+)\1/g)) {
    if (name === imported || resolve(dirname(file), name) === imported)
      return { file, ...positionAt(source, index) };
  }
  return { file };
}
