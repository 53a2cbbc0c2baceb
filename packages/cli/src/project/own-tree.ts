import type { SpawnOptions } from 'node:child_process';

/**
 * Returns the options that start a process in a process group of its own, so that it can be ended with all that it
 * starts. Windows has no such groups, and would open a console.
 */
export function ownTree(platform: NodeJS.Platform = process.platform): SpawnOptions {
  return { detached: platform !== 'win32', windowsHide: true };
}
