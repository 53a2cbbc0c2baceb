import satisfies from 'semver/functions/satisfies.js';
import greaterThanRange from 'semver/ranges/gtr.js';
import lessThanRange from 'semver/ranges/ltr.js';
import validRange from 'semver/ranges/valid.js';

/** The most common forms of ranges, decided without loading semver: `^1.2.3`, `>=1.2.3` and `*`. */
const plainRange = /^(\*)$|^(\^|>=)(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;
const plainVersion = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;

/** Returns true if a string is an npm version range. */
export function isVersionRange(range: string): boolean {
  return plainRange.test(range) || validRange(range) !== null;
}

/** Returns true if a range includes every version. */
export function isAnyVersion(range: string): boolean {
  return range === '*' || validRange(range) === '*';
}

/**
 * Returns true if a range includes a version. `includePrerelease` also accepts prereleases that the range does not
 * name.
 */
export function isInRange(
  version: string,
  range: string,
  options: { readonly includePrerelease?: boolean } = {},
): boolean {
  const [isPlain, any, kind, ...least] = plainRange.exec(range) ?? [];
  const [, ...numbers] = plainVersion.exec(version) ?? [];
  if (isPlain === undefined || numbers.length === 0) return satisfies(version, range, options);
  if (any !== undefined) return true;
  const differs = numbers.findIndex((number, index) => number !== least[index]);
  // Without a difference neither is a number, and nothing is smaller.
  if (Number(numbers[differs]) < Number(least[differs])) return false;
  // `^` fixes all numbers up to the first that is not 0.
  const fixed = least.findIndex((number) => number !== '0');
  return (
    kind !== '^' ||
    least.slice(0, fixed === -1 ? undefined : fixed + 1).every((each, index) => each === numbers[index])
  );
}

/** Returns true if a version is below the whole range. */
export function isBelowRange(version: string, range: string): boolean {
  return lessThanRange(version, range);
}

/** Returns true if a version is above the whole range. */
export function isAboveRange(version: string, range: string): boolean {
  return greaterThanRange(version, range);
}
