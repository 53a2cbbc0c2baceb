import { globSync } from 'node:fs';
import { join } from 'node:path';

import { mustPass } from './must-pass.ts';
import type { WorkspacePackage } from './workspace.ts';

/** Packs a package as it would be published, and returns the path of the tarball. */
export async function packPackage(
  { folder: cwd, manifest }: WorkspacePackage,
  destination: string,
): Promise<string> {
  const before = new Set(globSync('*.tgz', { cwd: destination }));
  await mustPass('pnpm', ['pack', '--pack-destination', destination], { cwd });
  const tarball = globSync('*.tgz', { cwd: destination }).find((file) => !before.has(file));
  if (tarball === undefined) throw new Error(`${manifest.name}: pnpm pack made no tarball`);
  return join(destination, tarball);
}
