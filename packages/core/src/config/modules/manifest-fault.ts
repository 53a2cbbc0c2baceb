import { existsSync, readFileSync } from 'node:fs';

import type { SourceLocation } from '../../base/errors.ts';
import { parseManifest } from '../packages/manifest.ts';
import { firstJsonError } from './first-json-error.ts';
import { positionAt } from './locate.ts';

/** Returns the place at which a package.json cannot be parsed; undefined if it can be, or is missing. */
export function manifestFault(file: string): SourceLocation | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  return parseManifest(text) === undefined ? { file, ...positionAt(text, firstJsonError(text)) } : undefined;
}
