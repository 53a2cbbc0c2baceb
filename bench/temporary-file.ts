import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns a path in a new folder, which is deleted when this process exits. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}
