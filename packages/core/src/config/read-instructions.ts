import { readFileSync } from 'node:fs';

import { protectFile } from '../files/loaded-files.ts';
import type { Config } from './check/config.ts';
import type { Mention } from './modules/locate.ts';
import { resolveFile } from './modules/resolve-module.ts';

/**
 * Returns the instructions of a config; a file is read as UTF-8, without trailing white space. @throws
 * `MODULE_NOT_FOUND`
 */
export function readInstructions({
  value,
  directory,
  locate,
}: Mention<NonNullable<Config['instructions']>>): string {
  if (typeof value === 'string') return value;
  const file = resolveFile(value.file, { directory, at: locate(['file']) });
  protectFile(file);
  return readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .trimEnd();
}
