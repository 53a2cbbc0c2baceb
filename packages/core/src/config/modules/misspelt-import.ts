import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { nearest } from '../../base/nearest.ts';
import { messageOf } from '../../base/thrown.ts';
import { nativeImport } from './native-import.ts';
import { whereThrown } from './where-thrown.ts';

/**
 * Returns the message for an import of a name that a package does not export, if it exports a similar one, which Node's
 * own message does not suggest; undefined for any other error. `file` is the module that could not be linked.
 */
export function misspeltImport(error: unknown, file: string): Promise<string | undefined> | undefined {
  const [, module, name] =
    /^The requested module '([^']+)' does not provide an export named '([^']+)'/.exec(messageOf(error)) ?? [];
  if (!(error instanceof SyntaxError) || module === undefined || name === undefined) return undefined;
  // Short names resemble many others; and importing a file to read its exports would run it too early.
  if (name.length < 4 || module.startsWith('.')) return undefined;
  return exportsOf(module, whereThrown(error)?.file ?? file).then((exported) => {
    const near = nearest(name, exported);
    return near === undefined ? undefined : `"${module}" exports no "${name}". Did you mean "${near}"?`;
  });
}

/** Returns the names that a module exports, as seen from a file; none if it cannot be imported. */
async function exportsOf(module: string, importer: string): Promise<string[]> {
  try {
    const path = createRequire(importer).resolve(module);
    return Object.keys(await nativeImport(pathToFileURL(path).href));
  } catch {
    // This error is reported where the module is imported.
    return [];
  }
}
