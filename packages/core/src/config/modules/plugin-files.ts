import { realpathSync } from 'node:fs';
import { sep } from 'node:path';

/** Of all configs of the process: the file of a plugin, or the directory of its package → what the plugin is called. */
const owners = new Map<string, string>();

/** Notes whose code a module is: before it is imported, as its errors begin there. */
export function notePluginFiles(place: string, plugin: string): void {
  // Stacks name real paths.
  owners.set(realpathSync.native(place), plugin);
}

/** The plugin that a file belongs to. */
export function pluginOfFile(file: string): string | undefined {
  const own = owners.get(file);
  if (own !== undefined) return own;
  for (const [place, plugin] of owners) {
    if (file.startsWith(`${place}${sep}`)) return plugin;
  }
  return undefined;
}
