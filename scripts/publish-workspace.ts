import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { mustPass } from './must-pass.ts';
import { packPackage } from './pack-package.ts';
import { workspacePackages, type WorkspacePackage } from './workspace.ts';

interface Registry {
  publish(tarball: string): Promise<void>;
}

/** Returns the registry that this machine is configured to use. */
export async function machineRegistry(): Promise<string> {
  const { stdout } = await mustPass('npm', ['config', 'get', 'registry']);
  return stdout.trim();
}

/**
 * Builds and packs the public packages and `more` packages of the workspace, and publishes them to the registry that
 * `start` creates. `start` receives the URL of the registry that has all other packages.
 */
export async function publishWorkspace<R extends Registry>(
  start: (upstream: string) => Promise<R>,
  more: readonly WorkspacePackage[] = [],
): Promise<R> {
  const upstream = await machineRegistry();
  await mustPass('turbo', ['run', 'build', '--output-logs=errors-only'], {
    env: { TURBO_TELEMETRY_DISABLED: '1' },
  });
  const registry = await start(upstream);
  const packed = mkdtempSync(join(tmpdir(), 'shallot-packed-'));
  try {
    const published = workspacePackages().filter(({ manifest }) => manifest.private !== true);
    for (const one of [...published, ...more]) await registry.publish(await packPackage(one, packed));
  } finally {
    rmSync(packed, { recursive: true });
  }
  return registry;
}
