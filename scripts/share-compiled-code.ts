import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Set up once for a run of tests: the processes that tests start share what Node compiles, which halves their work. Otherwise each
 * of them strips and compiles the sources of the core anew.
 */
export function setup(): (() => void) | undefined {
  // Every project of the tests sets up.
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'shallot-compiled-'));
  process.env['NODE_COMPILE_CACHE'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
