import { isShallotError, ShallotError } from '../base/errors.ts';
import { reasonOf } from '../base/thrown.ts';
import type { ModuleEntry } from './check/config.ts';
import { describeExports } from './modules/describe-exports.ts';
import { importFound, resolveModule, type NamePlace } from './modules/resolve-module.ts';
import { whereThrown } from './modules/where-thrown.ts';

/** The kind of value that a module must export: its name for messages, and a type guard. */
export interface Wanted<T> {
  readonly what: 'model' | 'store' | 'files' | 'queue';
  readonly is: (value: unknown) => value is T;
}

const withArticle: Readonly<Record<Wanted<unknown>['what'], string>> = {
  model: 'a model',
  store: 'a store',
  files: 'a files service',
  queue: 'a queue',
};

/**
 * Resolves a module whose default export is the wanted value or a function that creates it from the options. Returns a
 * function that imports it. @throws `MODULE_NOT_FOUND`; the function `MODULE_FAILED`, `MODULE_INVALID`,
 * `ESBUILD_MISSING`
 */
export function resolveMaker<T>(
  { use, options }: ModuleEntry,
  place: NamePlace,
  { what, is }: Wanted<T>,
): () => Promise<T> {
  const found = resolveModule(use, place, { kind: what });
  return async () => {
    const exported = await importFound(found, place);
    const made = exported['default'];
    const result = typeof made === 'function' ? await callMaker(made, [options], place) : made;
    if (is(result)) return result;
    const instead =
      typeof made === 'function'
        ? 'its function returns something else'
        : `it exports ${describeExports(exported)}`;
    throw new ShallotError('MODULE_INVALID', {
      message:
        `${found.package?.name ?? found.file} provides no ${what}: ${instead}. ` +
        `Its default export must be ${withArticle[what]}, or a function that returns one.`,
      at: place.at,
    });
  };
}

/**
 * Calls a user's function; returns undefined for other values. @throws `MODULE_FAILED`, or the code of a `ShallotError`
 * that it throws, with the location of the error
 */
export async function callMaker(make: unknown, args: readonly unknown[], place: NamePlace): Promise<unknown> {
  if (typeof make !== 'function') return undefined;
  try {
    const made: unknown = await Reflect.apply(make, undefined, args);
    return made;
  } catch (error) {
    if (isShallotError(error) && error.at !== undefined) throw error;
    // A `ShallotError` is about the options that the function received.
    if (isShallotError(error)) {
      throw new ShallotError(error.code, { message: error.message, at: place.at, cause: error });
    }
    throw new ShallotError('MODULE_FAILED', {
      message: `${reasonOf(error)} (thrown by its function).`,
      at: whereThrown(error) ?? place.at,
      cause: error,
    });
  }
}
