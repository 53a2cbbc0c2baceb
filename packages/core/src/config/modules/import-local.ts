import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

import { ShallotError } from '../../base/errors.ts';
import { installCommand } from '../packages/install-command.ts';
import { isModuleFile, isTypeScript } from '../packages/names.ts';
import { findEsbuild } from './esbuild.ts';
import type { LocalModule } from './module-graph.ts';
import { nativeImport } from './native-import.ts';
import { graph, startModule } from './start-module.ts';
import { whereThrown } from './where-thrown.ts';

type ModuleExports = Readonly<Record<string, unknown>>;

/** Settles when the module that is being linked is about to run, or has failed: one is linked after the other. */
let linking: Promise<void> = Promise.resolve();

/**
 * Imports a local file by Node, which takes the types out of TypeScript. It is run once, and once more only after it has
 * changed, or something that it imports. What Node refuses is tried again with esbuild; nothing of it has run by then.
 * @throws what linking and running it throw
 */
export async function importLocal(file: string): Promise<ModuleExports> {
  const turn = Promise.withResolvers<void>();
  const before = linking;
  linking = turn.promise;
  await before;
  try {
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
      const refused = error instanceof SyntaxError ? refusedModules(module, error) : [];
      // Node keeps modules that could not be linked, so that they have to be others the next time.
      graph.renew(graph.waiting(module));
      if (refused.length === 0) throw error;
      for (const each of refused) each.isCompiled = true;
    }
  }
}

/**
 * What Node could not link, and esbuild may: imports that are only types, decorators, ES modules in a CommonJS package.
 * Where Node keeps to itself which file it is, all that have not run.
 * @throws `MODULE_FAILED` when there is no esbuild that could compile it
 */
function refusedModules(module: LocalModule, error: SyntaxError): LocalModule[] {
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
    const message = `${error.message}. ${advice}`;
    throw new ShallotError('MODULE_FAILED', { message, at, cause: error });
  }
  const culprits = candidates.filter(({ file }) => file === at.file);
  return culprits.length > 0 ? culprits : candidates;
}
