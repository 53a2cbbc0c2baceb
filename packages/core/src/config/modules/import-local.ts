import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

import { ShallotError } from '../../base/errors.ts';
import { protectFile } from '../../files/protection/loaded-files.ts';
import { installCommand } from '../packages/install-command.ts';
import { isModuleFile, isTypeScript } from '../packages/names.ts';
import { findEsbuild } from './esbuild.ts';
import { misspeltImport } from './misspelt-import.ts';
import type { LocalModule } from './module-graph.ts';
import { nativeImport } from './native-import.ts';
import { graph, startModule } from './start-module.ts';
import { whereThrown } from './where-thrown.ts';

type ModuleExports = Readonly<Record<string, unknown>>;

/** Settles when the previous module starts to run or has failed: modules are linked one at a time. */
let linking: Promise<void> = Promise.resolve();

/**
 * Imports a local file with Node, which strips TypeScript types. The file runs once, and again only after it or a local
 * file that it imports has changed. A file that Node cannot link is compiled with esbuild; none of it has run by then.
 * @throws the errors of linking and running it
 */
export async function importLocal(file: string): Promise<ModuleExports> {
  const turn = Promise.withResolvers<void>();
  const before = linking;
  linking = turn.promise;
  await before;
  try {
    protectFile(file);
    const module = graph.at(realpathSync.native(file));
    graph.refresh(module);
    if (!module.hasBegun) return await link(module, turn.resolve);
    turn.resolve();
    return await nativeImport(module.url);
  } finally {
    turn.resolve();
  }
}

async function link(module: LocalModule, onBegin: () => void): Promise<ModuleExports> {
  for (;;) {
    try {
      return await startModule(module, () => {
        graph.begin(module);
        onBegin();
      });
    } catch (error) {
      if (module.hasBegun) throw error;
      const misspelt = misspeltImport(error, module.file);
      const instead = misspelt === undefined ? undefined : await misspelt;
      const refused = error instanceof SyntaxError ? refusedModules(module, error, instead) : [];
      // Node caches modules that failed to link, so they need new URLs.
      graph.renew(graph.waiting(module));
      if (refused.length === 0) throw error;
      for (const each of refused) each.isCompiled = true;
    }
  }
}

/**
 * Returns the modules that Node could not link but esbuild may compile: type-only imports, decorators, ES modules in a
 * CommonJS package. If Node does not name the file, all modules that have not run. @throws `MODULE_FAILED` without
 * esbuild
 */
function refusedModules(module: LocalModule, error: SyntaxError, misspelt?: string): LocalModule[] {
  const waiting = [...graph.waiting(module)];
  if (!waiting.some((each) => isTypeScript(each.file))) return [];
  const candidates = waiting.filter((each) => !each.isCompiled && isModuleFile(each.file));
  if (candidates.length === 0) return [];
  const directory = dirname(module.file);
  const at = whereThrown(error) ?? { file: module.file };
  if (findEsbuild(directory) === undefined) {
    const advice =
      'If a type is imported, write "import type". esbuild compiles other syntax that Node cannot run. ' +
      `Run: ${installCommand('esbuild', directory)}`;
    const message = misspelt ?? `${error.message}. ${advice}`;
    throw new ShallotError('MODULE_FAILED', { message, at, cause: error });
  }
  const culprits = candidates.filter(({ file }) => file === at.file);
  return culprits.length > 0 ? culprits : candidates;
}
