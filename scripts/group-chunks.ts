import type { OutputOptions } from 'rolldown';

type CodeSplitting = NonNullable<OutputOptions['codeSplitting']>;

/** The bundler's information about modules. */
interface Modules {
  getModuleInfo(id: string): { readonly isEntry: boolean; readonly importers: readonly string[] } | null;
}

/**
 * Few files are read faster than many: what the main entry shares with others is one chunk, what others share without it is
 * another, and what several dynamic imports share is a third. What only one of them needs stays with it. A program, which
 * may end before it needs the rest, has what it shares in a chunk of its own.
 */
export function groupChunks(mainEntry: string | undefined, program: string | undefined): CodeSplitting {
  return {
    minShareCount: 2,
    // A group takes the dependencies of its modules with it, so the order of choosing counts.
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

/** Returns whether the main entry is among some entries; without one, any entry counts. */
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
