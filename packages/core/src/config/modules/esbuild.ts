import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire, type SourceMapPayload } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import type * as Esbuild from 'esbuild';

import { ShallotError, type SourceLocation } from '../../base/errors.ts';
import { reasonOf } from '../../base/thrown.ts';
import { findPackage, packageEntry } from '../packages/find-package.ts';
import { installCommand } from '../packages/install-command.ts';
import { isPath } from '../packages/names.ts';

type SyncEsbuild = Pick<typeof Esbuild, 'buildSync'>;

/** The output of esbuild for a file. */
export interface CompiledFile {
  readonly code: string;
  readonly sourceMap: SourceMapPayload;
}

/**
 * Compiles a single file with its `tsconfig.json`, without bundling its imports. Writes no files. @throws
 * `MODULE_FAILED` with the location
 */
export function compileFile({ buildSync }: SyncEsbuild, file: string): CompiledFile {
  try {
    const { outputFiles } = buildSync({
      ...optionsFor(dirname(file)),
      entryPoints: [{ in: file, out: 'out' }],
      sourcemap: 'external',
      sourcesContent: false,
      write: false,
    });
    const textOf = (ending: string): string =>
      outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
    // esbuild's own source names are relative to outputs that do not exist.
    const map = JSON.parse(textOf('.js.map')) as SourceMapPayload;
    return { code: textOf('.js'), sourceMap: { ...map, sources: [pathToFileURL(file).href] } };
  } catch (error) {
    throw isBuildFailure(error) ? compileFailure(file, error) : error;
  }
}

/**
 * Returns the file that an import resolves to by esbuild's rules: without extension, or by `paths` of a
 * `tsconfig.json`; undefined if there is none.
 */
export function resolveImport(
  { buildSync }: SyncEsbuild,
  specifier: string,
  importer: string,
): string | undefined {
  const directory = dirname(importer);
  // Loads every file as empty, since only the resolution is needed.
  const endings = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
  try {
    const { metafile } = buildSync({
      ...optionsFor(directory),
      stdin: {
        contents: `import ${JSON.stringify(specifier)}`,
        resolveDir: directory,
        sourcefile: importer,
      },
      bundle: true,
      packages: 'external',
      loader: Object.fromEntries(endings.map((ending) => [ending, 'empty' as const])),
      metafile: true,
      write: false,
    });
    const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
    const found = imports.find(({ external }) => external !== true);
    return found === undefined ? undefined : resolve(directory, found.path);
  } catch (error) {
    if (isBuildFailure(error)) return undefined;
    throw error;
  }
}

/**
 * Returns true if esbuild may resolve a module that Node does not: a file with a similar name exists, or a
 * `tsconfig.json` has `paths`.
 */
export function mayResolve(specifier: string, importer: string): boolean {
  if (!isPath(specifier)) return hasPaths(dirname(importer));
  const target = resolve(dirname(importer), specifier);
  const stem = basename(target).replace(/\.[cm]?jsx?$/, '');
  if (!existsSync(dirname(target))) return false;
  return readdirSync(dirname(target)).some((name) => name === stem || name.startsWith(`${stem}.`));
}

function hasPaths(directory: string): boolean {
  const file = join(directory, 'tsconfig.json');
  if (existsSync(file) && /"(?:paths|baseUrl|extends)"/.test(readFileSync(file, 'utf8'))) return true;
  return dirname(directory) !== directory && hasPaths(dirname(directory));
}

/** Returns esbuild as installed beside the core or for a directory; undefined if it is not. */
export function findEsbuild(directory: string): SyncEsbuild | undefined {
  const require = createRequire(import.meta.url);
  // The package `esbuild` has this type.
  const load = (module: string): SyncEsbuild => require(module) as SyncEsbuild;
  try {
    return load('esbuild');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && /MODULE_NOT_FOUND/.test(String(error.code))))
      throw error;
  }
  const installed = findPackage('esbuild', directory);
  return installed === undefined ? undefined : load(packageEntry(installed));
}

/** Returns esbuild. @throws `ESBUILD_MISSING`, with the reason and the location */
export function requiredEsbuild(refused: string, at: SourceLocation): SyncEsbuild {
  const directory = dirname(at.file);
  const found = findEsbuild(directory);
  if (found !== undefined) return found;
  throw new ShallotError('ESBUILD_MISSING', {
    message: `${refused}; esbuild, which compiles such files, is not installed. Run: ${installCommand('esbuild', directory)}`,
    at,
  });
}

function optionsFor(directory: string) {
  return {
    absWorkingDir: directory,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'silent',
    // esbuild requires an output directory, though no file is written.
    outdir: resolve(directory, '.shallot-compiled'),
  } as const satisfies Esbuild.BuildOptions;
}

function isBuildFailure(error: unknown): error is Esbuild.BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

function compileFailure(file: string, error: Esbuild.BuildFailure): ShallotError {
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
