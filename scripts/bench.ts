// `pnpm bench`: the benchmarks live in a folder of their own, with a lockfile of their own, because what they compare
// with is large. It is installed when it is first asked for; arguments are passed on. `pnpm bench:paired` holds the working
// tree against a commit.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './workspace.ts';

const folder = join(root, 'bench');
const stampFile = join(folder, 'node_modules', '.shallot-install');
const lockfile = readFileSync(join(folder, 'pnpm-lock.yaml'), 'utf8');

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== lockfile) {
  console.error('Installing what the benchmarks compare with (once)…');
  run('pnpm', ['install', '--frozen-lockfile', '--reporter=append-only']);
  writeFileSync(stampFile, lockfile);
}
const [first, ...rest] = process.argv.slice(2);
run(process.execPath, first === '--paired' ? ['paired.ts', ...rest] : ['run.ts', ...process.argv.slice(2)]);

function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { cwd: folder, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
