import type { SpawnOptions } from 'node:child_process';

/**
 * Returns the options that start a process which can be ended with all that it starts: in a process group of its own.
 * Windows has none, and would open a console.
 */
export function ownTree(platform: NodeJS.Platform = process.platform): SpawnOptions {
  return { detached: platform !== 'win32', windowsHide: true };
}
