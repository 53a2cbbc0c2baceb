// `pnpm bench`: what Shallot costs its users, next to the same by hand. `pnpm bench:peers` compares it with other
// runtimes, `pnpm bench:paired` with a commit. The folder has a lockfile of its own, because what it compares with is large;
// that is installed when it is first asked for. Arguments are passed on.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './workspace.ts';

const folder = join(root, 'bench');
const stampFile = join(folder, 'node_modules', '.shallot-install');
const programs = { '--peers': 'peers.ts', '--paired': 'paired.ts' } as const;

const args = process.argv.slice(2);
const program = programs[args[0] as keyof typeof programs];
if (program === undefined) {
  run(process.execPath, ['bench.ts', ...args]);
} else {
  if (program === 'peers.ts') install();
  run(process.execPath, [program, ...args.slice(1)]);
}

function install(): void {
  const lockfile = readFileSync(join(folder, 'pnpm-lock.yaml'), 'utf8');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === lockfile) return;
  console.error('Installing what the benchmarks compare with (once)…');
  run('pnpm', ['install', '--frozen-lockfile', '--reporter=append-only']);
  writeFileSync(stampFile, lockfile);
}

function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { cwd: folder, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
