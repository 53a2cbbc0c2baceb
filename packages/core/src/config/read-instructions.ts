import { readFileSync } from 'node:fs';

import { protectFile } from '../files/protection/loaded-files.ts';
import { joinInstructions } from '../ready-made.ts';
import type { Config } from './check/config.ts';
import type { Mention } from './modules/locate.ts';
import { resolveFile } from './modules/resolve-module.ts';

type Instructions = NonNullable<Config['instructions']>;

/**
 * Returns the instructions of a config; parts are joined with blank lines. A file is read as UTF-8, without trailing white
 * space. @throws `MODULE_NOT_FOUND`
 */
export function readInstructions({ value, directory, locate }: Mention<Instructions>): string {
  if (typeof value === 'string') return value;
  if ('file' in value) return readPart(value.file, { directory, at: locate(['file']) });
  return joinInstructions(
    ...value.map((part, index) =>
      'text' in part ? part.text : readPart(part.file, { directory, at: locate([index, 'file']) }),
    ),
  );
}

function readPart(path: string, from: Parameters<typeof resolveFile>[1]): string {
  const file = resolveFile(path, from);
  protectFile(file);
  return readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .trimEnd();
}
