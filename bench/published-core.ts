import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const core = join(import.meta.dirname, '..', 'packages', 'core');
/** Where `@shallot/core` is found by everything in this folder. */
export const publishedCore = join(import.meta.dirname, 'node_modules', '@shallot', 'core');

interface Manifest extends Record<string, unknown> {
  readonly publishConfig?: Readonly<Record<string, unknown>>;
}

/**
 * Lays `@shallot/core` into this folder's node_modules as npm would publish it: with the exports of `publishConfig`, so
 * that the built files are measured. The workspace's own exports lead to the sources.
 */
export function linkPublishedCore(): void {
  const dist = join(core, 'dist');
  if (!existsSync(join(dist, 'index.js'))) {
    throw new Error(`${dist} is not built: run \`pnpm build\` first`);
  }
  const manifest = JSON.parse(readFileSync(join(core, 'package.json'), 'utf8')) as Manifest;
  rmSync(publishedCore, { recursive: true, force: true });
  mkdirSync(publishedCore, { recursive: true });
  writeFileSync(
    join(publishedCore, 'package.json'),
    JSON.stringify({ ...manifest, ...manifest.publishConfig }, undefined, 2),
  );
  symlinkSync(dist, join(publishedCore, 'dist'), 'dir');
}
