import { statSync } from 'node:fs';
import { createRequire } from 'node:module';

import { protectFile } from '../../files/protection/loaded-files.ts';
import type { StaleCode } from './imported-packages.ts';
import { graph, isLocalFile } from './start-module.ts';

/** Local files loaded by CommonJS `require`, with their state at that time. Node loads them once. */
const required = new Map<string, string | undefined>();

/** Notes the files that were required so far. */
export function noteRequired(): void {
  for (const file of Object.keys(createRequire(import.meta.url).cache)) {
    if (!isLocalFile(file) || graph.has(file)) continue;
    // The agent that is being loaded may have required it, too.
    protectFile(file);
    if (!required.has(file)) required.set(file, stateOf(file));
  }
}

/** Returns the required files that have changed since and still exist. */
export function staleRequired(): StaleCode[] {
  return [...required].flatMap(([file, state]) => {
    const now = stateOf(file);
    return now === state || now === undefined || graph.has(file) ? [] : [{ name: file }];
  });
}

function stateOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.mtimeMs} ${found.size}`;
}
