import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;
const stampFile = join(folder, 'node_modules', '.shallot-install');

/**
 * Installs the packages that the benchmarks compare with, unless that has been done. They are large, so they have a
 * lockfile of their own.
 */
export function installDependencies(): void {
  const lockfile = readFileSync(join(folder, 'pnpm-lock.yaml'), 'utf8');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockfile) return;
  console.error('Installing what the benchmarks compare with (once)…');
  const args = ['install', '--frozen-lockfile', '--reporter=append-only'];
  execFileSync('pnpm', args, { cwd: folder, stdio: 'inherit' });
  writeFileSync(stampFile, lockfile);
}
