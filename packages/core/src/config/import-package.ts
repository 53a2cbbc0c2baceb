import type { SourceLocation } from '../errors.ts';
import { importFound, resolveModule } from './resolve-module.ts';

/**
 * Imports a package from the `node_modules` that a directory sees, as a module there would. `at` says where it was asked
 * for, for errors; the directory by default.
 * @throws `MODULE_NOT_FOUND` with the command of the user's package manager that installs it, `MODULE_FAILED`
 */
export async function importPackage(
  name: string,
  { directory, at = { file: directory } }: { readonly directory: string; readonly at?: SourceLocation },
): Promise<Readonly<Record<string, unknown>>> {
  const place = { directory, at };
  return importFound(resolveModule(name, place), place);
}
