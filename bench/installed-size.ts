import { spawnSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import { isPublishedPackage, sourceFolder, type PublishedPackage } from './published-packages.ts';

const mebibyte = 1024 * 1024;

/**
 * Measures a fresh project after `npm install` of some packages: MB as `du` counts them, MB of file contents, and the
 * number of packages. Optional peers such as esbuild are not installed, and so not counted.
 */
export function measureInstalledSize(dependencies: readonly string[]): Record<string, number> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-bench-size-'));
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'bench-size', private: true }));
    const packed = dependencies.map((name) =>
      isPublishedPackage(name) ? pack(name, folder) : `${name}@${pinned(name)}`,
    );
    run(
      'npm',
      ['install', ...packed, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'],
      folder,
    );
    const totals = { disk: 0, bytes: 0 };
    addSizes(join(folder, 'node_modules'), totals);
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, unknown>>;
    };
    const packages = Object.keys(lock.packages).filter(
      (path) => path !== '' && isInstalled(join(folder, path)),
    ).length;
    return { diskMb: totals.disk / mebibyte, contentMb: totals.bytes / mebibyte, packages };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function pack(name: PublishedPackage, folder: string): string {
  const before = new Set(readdirSync(folder));
  run('pnpm', ['pack', '--pack-destination', folder], sourceFolder(name));
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz') && !before.has(file));
  if (tarball === undefined) throw new Error(`pnpm pack made no tarball of ${name}`);
  return join(folder, tarball);
}

function pinned(dependency: string): string {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const version = manifest.dependencies[dependency];
  if (version === undefined) throw new Error(`${dependency} is not a dependency of the benchmarks`);
  return version;
}

function run(program: string, args: readonly string[], cwd: string): void {
  const tools = join(import.meta.dirname, '..', 'node_modules', '.bin');
  const path = [dirname(process.execPath), tools, process.env['PATH']].join(delimiter);
  const { status, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}\n${stderr}`);
}

function isInstalled(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function addSizes(folder: string, totals: { disk: number; bytes: number }): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const { blocks, size } = lstatSync(path);
    totals.disk += blocks * 512;
    if (entry.isDirectory()) addSizes(path, totals);
    else totals.bytes += size;
  }
}
