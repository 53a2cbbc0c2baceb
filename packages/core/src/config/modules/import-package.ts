import type { SourceLocation } from '../../base/errors.ts';
import { importFound, resolveModule } from './resolve-module.ts';

interface ImportPackageOptions {
  readonly directory: string;
  readonly at?: SourceLocation;
  readonly isKnown?: boolean;
}

/**
 * Imports a package from the `node_modules` that a directory sees, as a module there would. `at` says where it was asked
 * for, for errors; the directory by default. `isKnown` is false for a name that a user wrote, which may be misspelt.
 * @throws `MODULE_NOT_FOUND`, for a known package with the command of the user's package manager that installs it;
 * `MODULE_FAILED`
 */
export async function importPackage(
  name: string,
  { directory, at = { file: directory }, isKnown = true }: ImportPackageOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const place = { directory, at };
  return importFound(resolveModule(name, place, isKnown ? {} : { kind: 'model' }), place);
}
