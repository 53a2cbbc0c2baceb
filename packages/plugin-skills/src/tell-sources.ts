import type { Files } from '@shallot/core/files';
import { pluginStatusKey, type PluginSetup } from '@shallot/core/plugin';

/** Tells, in the plugin's status, which sources of the agent's own files hold anything. */
export function tellSources(
  sources: readonly string[],
  { id, files, provide, onReady }: Pick<PluginSetup, 'id' | 'files' | 'provide' | 'onReady'>,
): void {
  let found: readonly string[] = [];
  provide(pluginStatusKey(id), { lines: () => (found.length === 0 ? [] : [`from ${found.join(', ')}`]) });
  onReady(async () => {
    found = await filled(files, sources);
  });
}

/** Returns the directories that are not empty. Errors are left to the search. */
async function filled(files: Files, directories: readonly string[]): Promise<string[]> {
  const entries = await Promise.all(directories.map((path) => files.list(path).catch(() => [])));
  return directories.filter((_, index) => entries[index]?.length !== 0);
}
