import type { ValueOrigin } from '@shallot/core/command';

import { formatPlace, shortPath } from '../terminal/place.ts';

/** Describes the origin of a config value briefly. */
export function describeOrigin(origin: ValueOrigin, cwd: string): string {
  switch (origin.from) {
    case 'default':
      return 'default';
    case 'file':
      return formatPlace(origin.at, cwd);
    case 'environment': {
      const { variable, envFile, at } = origin;
      const source = envFile === undefined ? variable : `${variable} in ${shortPath(envFile, cwd)}`;
      return `${source} (${formatPlace(at, cwd)})`;
    }
  }
}
