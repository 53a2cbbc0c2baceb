import { assert, boolean, constantFrom, nat, oneof, property, tuple } from 'fast-check';
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import { expect, it } from 'vitest';

import { isAnyVersion, isInRange, isVersionRange } from './version-range.ts';

const number = oneof(nat(3), constantFrom(10, 999_999_999, 1_000_000_000, 2 ** 53));
const version = tuple(number, number, number, constantFrom('', '', '', '-rc.1', '+build', '.4', ' ')).map(
  ([major, minor, patch, rest]) => `${major}.${minor}.${patch}${rest}`,
);
const range = oneof(
  tuple(constantFrom('^', '^', '>=', '>', '~', '', '^0', '>= '), version).map((parts) => parts.join('')),
  constantFrom('*', '', 'x', 'latest', '>=0.0.0', '^1.0.0 || ^2.0.0', '^01.0.0'),
);

it('decides as semver does', () => {
  assert(
    property(version, range, boolean(), (version, range, includePrerelease) => {
      const options = { includePrerelease };
      expect([isInRange(version, range, options), isVersionRange(range), isAnyVersion(range)]).toEqual([
        satisfies(version, range, options),
        validRange(range) !== null,
        validRange(range) === '*',
      ]);
    }),
    { numRuns: 1000 },
  );
});
