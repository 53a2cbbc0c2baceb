import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Set up once before a run of tests: the processes that tests start share what Node compiles, which halves their work.
 * Otherwise each of them would strip and compile the core's sources again. Returns a function that removes it afterwards.
 */
export function setup(): (() => void) | undefined {
  // Vitest calls this for every project, and the first call is enough.
  if (process.env['NODE_COMPILE_CACHE'] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'shallot-compiled-'));
  process.env['NODE_COMPILE_CACHE'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
