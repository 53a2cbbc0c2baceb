import { realpathSync } from 'node:fs';
import { sep } from 'node:path';

/** Plugin names by file or package directory, for all configs of the process. */
const owners = new Map<string, string>();

/** Registers a module's plugin. Called before the import, because the import can throw. */
export function notePluginFiles(place: string, plugin: string): void {
  // Stack traces contain real paths.
  owners.set(realpathSync.native(place), plugin);
}

/** Returns the plugin that a file belongs to; undefined if it belongs to none. */
export function pluginOfFile(file: string): string | undefined {
  const own = owners.get(file);
  if (own !== undefined) return own;
  for (const [place, plugin] of owners) {
    if (file.startsWith(`${place}${sep}`)) return plugin;
  }
  return undefined;
}
