import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../../..');

/**
 * Compiles and tests a newly created plugin against the packages of this repository. Rejects if anything fails. Returns
 * the output of the tests.
 */
export async function testCreated(folder: string): Promise<string> {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@shallot'), { recursive: true });
  for (const name of ['core', 'testing'])
    symlinkSync(join(root, 'packages', name), join(modules, '@shallot', name), 'dir');
  for (const name of ['typescript', 'vitest'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'dir');
  const bin = (name: string): string => join(root, 'node_modules', '.bin', name);
  const run = promisify(execFile);
  // The environment of this repository's tests could change how the plugin's tests run.
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], CI: 'true', NO_COLOR: '1' };
  await run(bin('tsc'), [], { cwd: folder, env });
  const { stdout } = await run(bin('vitest'), ['run'], { cwd: folder, env });
  return stdout;
}
