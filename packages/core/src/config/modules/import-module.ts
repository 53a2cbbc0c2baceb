import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { isShallotError, ShallotError, type SourceLocation } from '../../base/errors.ts';
import { messageOf, reasonOf } from '../../base/thrown.ts';
import { packageAround } from '../packages/find-package.ts';
import { compileFile, findEsbuild } from './esbuild.ts';
import { importLocal } from './import-local.ts';
import { jsonFault } from './json-fault.ts';
import { loadLocalesLate } from './late-locales.ts';
import { misspeltImport } from './misspelt-import.ts';
import { nativeImport } from './native-import.ts';
import { whereThrown } from './where-thrown.ts';

/** The exports of a module, by name. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/**
 * Imports a file with Node, which strips TypeScript types; esbuild compiles what Node cannot run. The file runs once,
 * and again only after it or a local file that it imports has changed. @throws `MODULE_FAILED` with the location of the
 * error, `ESBUILD_MISSING`
 */
export async function importFile(file: string): Promise<ModuleExports> {
  try {
    return withoutInterop(await importLocal(file));
  } catch (error) {
    const misspelt = misspeltImport(error, file);
    throw moduleFailure(error, file, misspelt === undefined ? undefined : await misspelt);
  }
}

/** Imports the entry of an installed package. @throws `MODULE_FAILED` */
export async function importPackageEntry(file: string): Promise<ModuleExports> {
  loadLocalesLate();
  try {
    return withoutInterop(await nativeImport(pathToFileURL(file).href));
  } catch (error) {
    throw moduleFailure(error, file);
  }
}

function moduleFailure(error: unknown, file: string, advice?: string): unknown {
  // The module may load another agent, whose errors already have a location.
  if (isShallotError(error) && error.at !== undefined) return error;
  const isOwn = isShallotError(error);
  return new ShallotError(isOwn ? error.code : 'MODULE_FAILED', {
    message: isOwn
      ? error.message
      : (advice ??
        brokenManifest(error) ??
        esmInCommonJs(error, file) ??
        `${reasonOf(error)} (thrown when the module was imported).`),
    at: whereThrown(error) ?? whereMalformed(error, file) ?? { file },
    cause: error,
  });
}

/** Node does not report the position of a syntax error in an ES module, but esbuild does. */
function whereMalformed(error: unknown, file: string): SourceLocation | undefined {
  const esbuild = error instanceof SyntaxError ? findEsbuild(dirname(file)) : undefined;
  if (esbuild === undefined) return undefined;
  try {
    compileFile(esbuild, file);
  } catch (failure) {
    if (isShallotError(failure, 'MODULE_FAILED')) return failure.at;
  }
  return undefined;
}

/** Node only reports that a package.json is invalid, without its fault. */
function brokenManifest(error: unknown): string | undefined {
  const file = /^Invalid package config (.+?package\.json)/.exec(messageOf(error))?.[1];
  const fault = file === undefined ? undefined : jsonFault(readFileSync(file, 'utf8'));
  return fault === undefined ? undefined : `${file} cannot be parsed: ${fault}`;
}

/** CommonJS compiled from ES modules has its exports in `default`. */
function withoutInterop(module: ModuleExports): ModuleExports {
  const inner = module['default'];
  if (typeof inner !== 'object' || inner === null || !('__esModule' in inner)) return module;
  return { ...module, ...inner };
}

function esmInCommonJs(error: unknown, file: string): string | undefined {
  if (!(error instanceof SyntaxError) || !file.endsWith('.js')) return undefined;
  const around = packageAround(join(file, '..'));
  if (around?.manifest.type !== 'commonjs') return undefined;
  const isEsm =
    /Cannot use import statement|Unexpected token 'export'|Cannot use 'import.meta'|await is only valid/;
  if (!isEsm.test(error.message)) return undefined;
  const manifest = join(around.directory, 'package.json');
  return (
    `The file is an ES module, but ${manifest} has "type": "commonjs". ` +
    `Rename it to .mjs, or set "type": "module" there.`
  );
}
