import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A path in a folder of its own, which goes with this process. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}
