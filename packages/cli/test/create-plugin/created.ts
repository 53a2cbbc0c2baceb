import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../../..');

/** Compiles and tests a plugin that was created, with what this repository has installed. Rejects if anything fails. */
export async function testCreated(folder: string): Promise<string> {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@shallot'), { recursive: true });
  for (const name of ['core', 'testing'])
    symlinkSync(join(root, 'packages', name), join(modules, '@shallot', name), 'dir');
  for (const name of ['typescript', 'vitest'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'dir');
  const bin = (name: string): string => join(root, 'node_modules', '.bin', name);
  const run = promisify(execFile);
  // Settings for this repository's tests are not meant for those.
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], CI: 'true', NO_COLOR: '1' };
  await run(bin('tsc'), [], { cwd: folder, env });
  const { stdout } = await run(bin('vitest'), ['run'], { cwd: folder, env });
  return stdout;
}
