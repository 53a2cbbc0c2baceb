import type { SourceLocation } from '../../base/errors.ts';
import { importFound, resolveModule } from './resolve-module.ts';

interface ImportPackageOptions {
  readonly directory: string;
  readonly at?: SourceLocation;
  readonly isKnown?: boolean;
}

/**
 * Imports a package as a module in `directory` would. Errors name the location `at`; default: the directory. `isKnown`
 * is false for a name that a user wrote and may have misspelt. @throws `MODULE_NOT_FOUND`, which says how to install a
 * known package; `MODULE_FAILED`
 */
export async function importPackage(
  name: string,
  { directory, at = { file: directory }, isKnown = true }: ImportPackageOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const place = { directory, at };
  return importFound(resolveModule(name, place, isKnown ? {} : { kind: 'model' }), place);
}
