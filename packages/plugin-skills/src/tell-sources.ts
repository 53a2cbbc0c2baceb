import type { Files } from '@shallot/core/files';
import { pluginStatusKey, type PluginSetup } from '@shallot/core/plugin';

/** Reports in the plugin's status which sources of the agent's files have contents. */
export function tellSources(
  sources: readonly string[],
  { id, files, provide, onReady }: Pick<PluginSetup, 'id' | 'files' | 'provide' | 'onReady'>,
): void {
  let found: readonly string[] = [];
  const line = (): string =>
    found.length === 0 ? `nothing in ${sources.join(', ')}` : `from ${found.join(', ')}`;
  provide(pluginStatusKey(id), { lines: () => [line()] });
  onReady(async () => {
    found = await filled(files, sources);
  });
}

/** Returns the directories that are not empty. Errors are left to the search. */
async function filled(files: Files, directories: readonly string[]): Promise<string[]> {
  const entries = await Promise.all(directories.map((path) => files.list(path).catch(() => [])));
  return directories.filter((_, index) => entries[index]?.length !== 0);
}
