import { join } from 'node:path';

import { ShallotError } from '@shallot/core';
import { manifestFault } from '@shallot/core/command';

/** The directory that has the package.json. */
interface Home {
  readonly home: string;
}

/**
 * Returns the error of a package.json that cannot be parsed, with which nothing can be installed; undefined if it can be.
 */
export function manifestError({ home }: Home): ShallotError | undefined {
  const at = manifestFault(join(home, 'package.json'));
  if (at === undefined) return undefined;
  return new ShallotError('PACKAGE_SYNTAX', {
    message: 'This package.json cannot be parsed as an object. Fix its JSON at this place.',
    at,
  });
}

/** Refuses a package.json that cannot be parsed. @throws `PACKAGE_SYNTAX` */
export function refuseManifest(project: Home): void {
  const error = manifestError(project);
  if (error !== undefined) throw error;
}
