import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { isShallotError, reasonOf, ShallotError, type SourceLocation } from '../errors.ts';
import { packageAround } from './find-package.ts';
import { isTypeScript } from './names.ts';
import { nativeImport } from './native-import.ts';
import { whereThrown } from './where-thrown.ts';

/** What a module exports, by name. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/**
 * Imports a local file: TypeScript through esbuild, JavaScript by Node. It is run once, and once more only after the
 * file has changed; of a TypeScript file also the local files that it imports are looked at.
 * @throws `MODULE_FAILED` with the place where it threw, `ESBUILD_MISSING`
 */
export async function importFile(file: string): Promise<ModuleExports> {
  if (isTypeScript(file)) {
    const { compileTypeScript } = await import('./typescript.ts');
    return importUrl(await compileTypeScript(file), file);
  }
  return importUrl(currentUrl(file), file);
}

/** Imports the entry of a package, as an `import` of it would. @throws `MODULE_FAILED` */
export function importPackageEntry(file: string): Promise<ModuleExports> {
  return importUrl(pathToFileURL(file).href, file);
}

async function importUrl(url: string, file: string): Promise<ModuleExports> {
  try {
    return withoutInterop(await nativeImport(url));
  } catch (error) {
    // A module may load another agent, whose errors say all themselves.
    if (isShallotError(error) && error.at !== undefined) throw error;
    const isOwn = isShallotError(error);
    throw new ShallotError(isOwn ? error.code : 'MODULE_FAILED', {
      message: isOwn
        ? error.message
        : (esmInCommonJs(error, file) ?? `${reasonOf(error)} (thrown when the module was imported).`),
      at: whereThrown(error) ?? (await whereMalformed(error, file)) ?? { file },
      cause: error,
    });
  }
}

/** Node keeps the place of a syntax error in an ES module to itself; esbuild, if it is there, tells it. */
async function whereMalformed(error: unknown, file: string): Promise<SourceLocation | undefined> {
  if (!(error instanceof SyntaxError) || isTypeScript(file)) return undefined;
  try {
    const { compileTypeScript } = await import('./typescript.ts');
    await compileTypeScript(file);
  } catch (failure) {
    if (isShallotError(failure, 'MODULE_FAILED')) return failure.at;
  }
  return undefined;
}

/** CommonJS made by a compiler from ES modules has its default export one level down. */
function withoutInterop(module: ModuleExports): ModuleExports {
  const inner = module['default'];
  if (typeof inner !== 'object' || inner === null || !('__esModule' in inner)) return module;
  return { ...module, ...inner };
}

const seen = new Map<string, { readonly content: Buffer; readonly version: number }>();

/** The plain URL, which others that import the file share; after each change another one. */
function currentUrl(file: string): string {
  const path = realpathSync.native(file);
  const { href } = pathToFileURL(path);
  const content = readFileSync(path);
  const last = seen.get(href);
  const isSame = last?.content.equals(content) ?? true;
  const version = last === undefined ? 0 : last.version + (isSame ? 0 : 1);
  // CommonJS is kept by file, whatever the query.
  if (!isSame) Reflect.deleteProperty(createRequire(href).cache, path);
  seen.set(href, { content, version });
  return version === 0 ? href : `${href}?shallot=${version}`;
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
    `The file is written as an ES module, but ${manifest} says "type": "commonjs". ` +
    `Rename it to .mjs, or say "type": "module" there.`
  );
}
