import { channel } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { registerHooks, type LoadHookSync, type ResolveFnOutput, type ResolveHookSync } from 'node:module';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { ownFolder } from '../../base/own-folder.ts';
import { protectFile } from '../../files/protection/loaded-files.ts';
import { isModuleFile, isPath, isTypeScript } from '../packages/names.ts';
import { compileModule } from './compile-module.ts';
import { mayResolve, requiredEsbuild, resolveImport } from './esbuild.ts';
import { loadLocalesLate } from './late-locales.ts';
import { ModuleGraph, type LocalModule } from './module-graph.ts';
import { nativeImport } from './native-import.ts';
import { placeOfImport } from './where-thrown.ts';

/** The user's files that this process has imported. */
export const graph: ModuleGraph = new ModuleGraph();

/** Returns true for the user's own code and data: not in an installed package, nor in the core. */
export function isLocalFile(file: string): boolean {
  return (
    (isModuleFile(file) || file.endsWith('.json')) &&
    !file.includes(`${sep}node_modules${sep}`) &&
    !file.startsWith(ownFolder)
  );
}

/** The sources of our starter modules, by URL. */
const starters = new Map<string, string>();
let starts = 0;

/**
 * Imports a local module through a starter module, which first imports another one that calls `onBegin`. Node links all
 * of them before it runs the first, so if this fails before `onBegin`, no user code has run.
 */
export async function startModule(
  { url }: LocalModule,
  onBegin: () => void,
): Promise<Readonly<Record<string, unknown>>> {
  loadLocalesLate();
  if (starts === 0) registerHooks({ resolve: resolveLocal, load: loadLocal });
  starts += 1;
  // Unique also among several copies of the core.
  const starter = `shallot:start-${starts}?${import.meta.url}`;
  const beginning = `${starter}&begin`;
  starters.set(starter, `import '${beginning}'; export * as started from ${JSON.stringify(url)};`);
  starters.set(
    beginning,
    `import { channel } from 'node:diagnostics_channel'; channel('${beginning}').publish();`,
  );
  const begun = channel(beginning);
  begun.subscribe(onBegin);
  try {
    const { started } = await nativeImport(starter);
    // The namespace of the user's module.
    return started as Readonly<Record<string, unknown>>;
  } finally {
    begun.unsubscribe(onBegin);
    starters.delete(starter);
    starters.delete(beginning);
  }
}

const resolveLocal: ResolveHookSync = (specifier, context, nextResolve) => {
  if (starters.has(specifier)) return { url: specifier, format: 'module', shortCircuit: true };
  const { parentURL = '', conditions } = context;
  const importer = starters.has(parentURL) ? undefined : moduleOf(parentURL);
  if (importer === undefined) return nextResolve(specifier, context);
  // CommonJS `require` is left to Node.
  const isImport = conditions.includes('import');
  const byNode = (): ResolveFnOutput => nextResolve(specifier, context);
  const resolved = isImport ? resolveFrom(importer, specifier, byNode) : byNode();
  const file = localFileOf(resolved.url);
  if (file === undefined) return resolved;
  if (isPath(specifier)) protectRivals(resolve(dirname(importer.file), specifier), file);
  else protectManifests(importer.file, file);
  if (!isImport) return resolved;
  const imported = graph.at(file);
  graph.link(importer, imported);
  return { ...resolved, url: imported.url };
};

/**
 * Protects the files that determine which local file a name stands for: the manifests of the importer and of the package
 * and, for TypeScript, the compiler settings. Includes missing files that would take precedence over them.
 */
function protectManifests(importer: string, imported: string): void {
  for (const [from, name] of [
    [importer, 'package.json'],
    [imported, 'package.json'],
    ...(isTypeScript(importer) ? [[importer, 'tsconfig.json'] as const] : []),
  ] as const) {
    let directory = dirname(from);
    protectFile(join(directory, name));
    while (!existsSync(join(directory, name)) && dirname(directory) !== directory) {
      directory = dirname(directory);
      protectFile(join(directory, name));
    }
  }
}

/** The endings with which Node or esbuild completes a path, or which it replaces. */
const endings = ['', '.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];

/** Protects the files, most of them missing, that would be imported by a path in place of the file that it stands for. */
function protectRivals(path: string, imported: string): void {
  const exact = path.replace(/[?#].*$/, '');
  if (exact === imported) return;
  const stems = [exact, exact.replace(/\.[cm]?jsx?$/, '')];
  if (imported.startsWith(exact + sep)) {
    for (const name of ['.json', `${sep}package.json`]) protectFile(exact + name);
    stems.push(join(exact, 'index'));
  }
  for (const stem of new Set(stems)) for (const ending of endings) protectFile(stem + ending);
}

const loadLocal: LoadHookSync = (url, context, nextLoad) => {
  const source = starters.get(url);
  if (source !== undefined) return { format: 'module', source, shortCircuit: true };
  const module = moduleOf(url);
  if (module === undefined) return nextLoad(url, context);
  if (module.isCompiled || isTypeScript(module.file)) return compileModule(module, context.format);
  module.read();
  return nextLoad(url, context);
};

/** Resolves a module with Node, else with esbuild. @throws `ESBUILD_MISSING`, and Node's own errors */
function resolveFrom(
  { file }: LocalModule,
  specifier: string,
  byNode: () => ResolveFnOutput,
): ResolveFnOutput {
  try {
    return byNode();
  } catch (error) {
    if (!isTypeScript(file) || !mayResolve(specifier, file)) throw error;
    const at = placeOfImport(specifier, file);
    const esbuild = requiredEsbuild(`Node cannot find "${specifier}", which is imported here`, at);
    const found = resolveImport(esbuild, specifier, file);
    if (found === undefined) throw error;
    return { url: pathToFileURL(found).href, shortCircuit: true };
  }
}

/** Returns the module of a URL, ignoring its version. */
function moduleOf(url: string): LocalModule | undefined {
  const file = localFileOf(url.replace(/\?shallot=\d+$/, ''));
  return file !== undefined && graph.has(file) ? graph.at(file) : undefined;
}

function localFileOf(url: string): string | undefined {
  if (!url.startsWith('file:') || /[?#]/.test(url)) return undefined;
  const file = fileURLToPath(url);
  return isLocalFile(file) ? file : undefined;
}
