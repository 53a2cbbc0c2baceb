import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startRegistry, type LoopbackRegistry } from './loopback-registry.ts';
import { mustPass } from './must-pass.ts';
import { packPackage } from './pack-package.ts';
import { readPackage, root, workspacePackages } from './workspace.ts';

/** Builds and packs the public packages and the example of a plugin, and publishes them to a registry on this machine. */
export async function publishWorkspace(): Promise<LoopbackRegistry> {
  const { stdout: upstream } = await mustPass('npm', ['config', 'get', 'registry']);
  await mustPass('turbo', ['run', 'build', '--output-logs=errors-only'], {
    env: { TURBO_TELEMETRY_DISABLED: '1' },
  });
  const registry = await startRegistry(upstream.trim());
  const packed = mkdtempSync(join(tmpdir(), 'shallot-packed-'));
  try {
    const packages = [
      ...workspacePackages().filter(({ manifest }) => manifest.private !== true),
      readPackage(join(root, 'examples', 'plugin-word-count')),
    ];
    for (const one of packages) await registry.publish(await packPackage(one, packed));
  } finally {
    rmSync(packed, { recursive: true });
  }
  return registry;
}
