import type { OutputOptions } from 'rolldown';

type CodeSplitting = NonNullable<OutputOptions['codeSplitting']>;

/** The bundler's information about modules. */
interface Modules {
  getModuleInfo(id: string): { readonly isEntry: boolean; readonly importers: readonly string[] } | null;
}

/**
 * Returns the groups that shared modules are put into, because few files load faster than many. The modules that a
 * program needs at its start are one group, because it may end before it needs more. Others that the main entry needs
 * are a second, those that only other entries need a third, and those that only dynamic imports share a fourth. A
 * module with one user stays with that.
 */
export function groupChunks(mainEntry: string | undefined, program: string | undefined): CodeSplitting {
  return {
    minShareCount: 2,
    // A group takes the dependencies of its modules with it, so their priorities matter.
    groups: [
      {
        debugName: 'program',
        name: (id, modules) =>
          program !== undefined && entriesOf(id, modules).includes(program) ? 'program' : undefined,
        priority: 3,
      },
      {
        debugName: 'shared',
        name: (id, modules) => (isOf(mainEntry, entriesOf(id, modules)) ? 'shared' : undefined),
        priority: 2,
      },
      {
        debugName: 'beside',
        name: (id, modules) => (entriesOf(id, modules).length > 0 ? 'beside' : undefined),
        priority: 1,
      },
      { name: 'later' },
    ],
  };
}

/** Returns true if the main entry is among these entries; without a main entry, if there is any. */
function isOf(mainEntry: string | undefined, entries: readonly string[]): boolean {
  return mainEntry === undefined ? entries.length > 0 : entries.includes(mainEntry);
}

/** Returns the entries from which static imports lead to a module. */
function entriesOf(id: string, modules: Modules): string[] {
  const waiting = [id];
  const seen = new Set(waiting);
  for (const each of waiting) {
    for (const importer of modules.getModuleInfo(each)?.importers ?? []) {
      if (!seen.has(importer)) waiting.push(importer);
      seen.add(importer);
    }
  }
  return waiting.filter((each) => modules.getModuleInfo(each)?.isEntry === true);
}
