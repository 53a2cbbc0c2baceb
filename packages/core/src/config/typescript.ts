import type { SourceMapPayload } from 'node:module';
import { dirname, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

import type * as Esbuild from 'esbuild';

import { isShallotError, reasonOf, ShallotError } from '../errors.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { findPackage, packageEntry } from './find-package.ts';
import { nativeImport } from './native-import.ts';
import { installCommand } from './package-manager.ts';
import { serveModule } from './served-modules.ts';

/**
 * Compiles a TypeScript file, and the local files that it imports, in memory, and gives the URL to import it by. Each
 * file stays a module of its own: two files that import a third one share its instance for as long as nothing changes
 * in what that one is made of. After a change, the file and all that import it are new modules. Packages are left to
 * Node, which resolves them from the file that imports them.
 * @throws `ESBUILD_MISSING`; `MODULE_FAILED` with the place, for what cannot be compiled
 */
export async function compileTypeScript(file: string): Promise<string> {
  const { build } = await loadEsbuild(file);
  const directory = dirname(file);
  const common = {
    absWorkingDir: directory,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'silent',
    // Outputs need a place to be named after, though none is written.
    outdir: resolve(directory, '.shallot-compiled'),
    write: false,
  } as const satisfies Esbuild.BuildOptions;
  try {
    // One bundle that is thrown away tells which files there are and what they import; then each is compiled for itself.
    const bundle = { bundle: true, packages: 'external', metafile: true } as const;
    const { metafile } = await build({ ...common, ...bundle, entryPoints: [file] });
    const graph = localGraph(metafile, directory);
    const entryPoints = [...graph.keys()].map((path, index) => ({ in: path, out: String(index) }));
    const compiled = await build({ ...common, entryPoints, sourcemap: 'external', sourcesContent: false });
    return serveGraph(file, graph, outputsByPath(compiled, [...graph.keys()]));
  } catch (error) {
    throw isBuildFailure(error) ? failure(file, error) : error;
  }
}

async function loadEsbuild(file: string): Promise<Pick<typeof Esbuild, 'build'>> {
  try {
    return await import('esbuild');
  } catch (cause) {
    const installed = findPackage('esbuild', dirname(file));
    if (installed !== undefined) {
      // What the package of this name exports is esbuild.
      const { href } = pathToFileURL(packageEntry(installed));
      return (await nativeImport(href)) as unknown as typeof Esbuild;
    }
    throw new ShallotError('ESBUILD_MISSING', {
      message: `TypeScript files are compiled by esbuild, which is not installed. Run: ${installCommand('esbuild', dirname(file))}`,
      at: { file },
      cause,
    });
  }
}

/** The files of a graph: path → specifier → path. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** What is CommonJS, data, or in a package is not compiled: Node loads it as it is. */
function localGraph({ inputs }: Esbuild.Metafile, directory: string): Graph {
  const isLocal = ([path, input]: [string, Esbuild.Metafile['inputs'][string]]): boolean =>
    /\.[cm]?[jt]sx?$/.test(path) && input.format !== 'cjs' && !path.split(/[/\\]/).includes('node_modules');
  const local = new Map(Object.entries(inputs).filter(isLocal));
  return new Map(
    [...local].map(([path, { imports }]) => [
      resolve(directory, path),
      new Map(
        imports
          .filter((target) => target.external !== true && local.has(target.path))
          .map((target) => [target.original ?? target.path, resolve(directory, target.path)]),
      ),
    ]),
  );
}

interface Output {
  readonly code: string;
  readonly map: string;
}

function outputsByPath(
  { outputFiles = [] }: Esbuild.BuildResult,
  paths: readonly string[],
): Map<string, Output> {
  const texts = new Map(outputFiles.map(({ path, text }) => [path.slice(path.lastIndexOf(sep) + 1), text]));
  return new Map(
    paths.map((path, index) => [
      path,
      { code: texts.get(`${index}.js`) ?? '', map: texts.get(`${index}.js.map`) ?? '' },
    ]),
  );
}

function serveGraph(file: string, graph: Graph, outputs: ReadonlyMap<string, Output>): string {
  const urlOf = (path: string): string =>
    `${pathToFileURL(path).href}?shallot=${versionOf(path, graph, outputs)}`;
  for (const [path, imports] of graph) {
    const { code = '', map = '' } = outputs.get(path) ?? {};
    serveModule(urlOf(path), {
      code,
      // Made by esbuild just now; its own names of sources are relative to outputs that do not exist.
      sourceMap: { ...(JSON.parse(map) as SourceMapPayload), sources: [pathToFileURL(path).href] },
      imports: new Map([...imports].map(([specifier, target]) => [specifier, urlOf(target)])),
    });
  }
  return urlOf(file);
}

/** Changes when a file changes or anything that it imports, directly or not. */
function versionOf(path: string, graph: Graph, outputs: ReadonlyMap<string, Output>): string {
  const reached = new Set([path]);
  for (const current of reached) {
    for (const target of graph.get(current)?.values() ?? []) reached.add(target);
  }
  const hash = nodeCrypto().createHash('sha256');
  for (const current of [...reached].toSorted())
    hash.update(`${current}\0${outputs.get(current)?.code ?? ''}\0`);
  return hash.digest('hex').slice(0, 16);
}

function isBuildFailure(error: unknown): error is Esbuild.BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors) && !isShallotError(error);
}

function failure(file: string, error: Esbuild.BuildFailure): ShallotError {
  const [first] = error.errors;
  const { location } = first ?? {};
  const at =
    location === null || location === undefined
      ? { file }
      : { file: resolve(dirname(file), location.file), line: location.line, column: location.column + 1 };
  return new ShallotError('MODULE_FAILED', {
    message: `The file cannot be compiled: ${first?.text ?? reasonOf(error)}.`,
    at,
    cause: error,
  });
}
