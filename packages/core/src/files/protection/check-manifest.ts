import { readFileSync } from 'node:fs';

import { ShallotError } from '../../base/errors.ts';
import { manifestConfig } from '../../base/json/manifest-config.ts';
import type { Place } from '../open-place.ts';
import { foldName, quotePath } from '../path.ts';

/**
 * Checks the content that a package.json would get, since its key `shallot` may be the config of an agent. Everything
 * else in it may change. @throws `FILE_PROTECTED`
 */
export function checkManifest(
  { directory, name }: Place,
  path: string,
  { bytes, isAdded = false }: { readonly bytes: Uint8Array; readonly isAdded?: boolean },
): void {
  if (foldName(name) !== 'package.json') return;
  const before = textOf(directory.entry(name));
  const config = manifestConfig((isAdded ? before : '') + Buffer.from(bytes).toString());
  if (config === undefined || JSON.stringify(config) === JSON.stringify(manifestConfig(before))) return;
  throw new ShallotError('FILE_PROTECTED', {
    message: `The "shallot" of ${quotePath(path)} is protected, and cannot be changed by tools: it is the config of an agent. Leave it to a person.`,
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // A file that is missing, or cannot be read, holds no config.
    return '';
  }
}
