import { statSync } from 'node:fs';
import { createRequire } from 'node:module';

import type { StaleCode } from './imported-packages.ts';
import { graph, isLocalFile } from './start-module.ts';

/** Local files that CommonJS has required, with what they were like: they are Node's, and loaded once. */
const required = new Map<string, string | undefined>();

/** Notes what has been required so far. */
export function noteRequired(): void {
  for (const file of Object.keys(createRequire(import.meta.url).cache)) {
    if (isLocalFile(file) && !graph.has(file) && !required.has(file)) required.set(file, stateOf(file));
  }
}

/** Those that have changed since, and are still there. */
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
