import type { OutputOptions } from 'rolldown';

type CodeSplitting = NonNullable<OutputOptions['codeSplitting']>;

/** What the bundler tells of its modules. */
interface Modules {
  getModuleInfo(id: string): { readonly isEntry: boolean; readonly importers: readonly string[] } | null;
}

/**
 * Few files are read faster than many: what several entries share is one chunk, and what several dynamic imports share is
 * another. What only one of them needs stays with it.
 */
export function groupChunks(): CodeSplitting {
  return {
    minShareCount: 2,
    groups: [
      {
        debugName: 'shared',
        name: (id, modules) => (isLoadedAtOnce(id, modules) ? 'shared' : undefined),
        // What it needs comes with it, so it chooses first.
        priority: 1,
      },
      { name: 'later' },
    ],
  };
}

/** Whether static imports lead to a module from an entry. */
function isLoadedAtOnce(id: string, modules: Modules): boolean {
  const waiting = [id];
  const seen = new Set(waiting);
  for (const each of waiting) {
    const info = modules.getModuleInfo(each);
    if (info?.isEntry) return true;
    for (const importer of info?.importers ?? []) {
      if (!seen.has(importer)) waiting.push(importer);
      seen.add(importer);
    }
  }
  return false;
}
