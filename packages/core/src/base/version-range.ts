import satisfies from 'semver/functions/satisfies.js';
import greaterThanRange from 'semver/ranges/gtr.js';
import lessThanRange from 'semver/ranges/ltr.js';
import validRange from 'semver/ranges/valid.js';

/** What nearly all manifests have, which is decided without loading semver: `^1.2.3`, `>=1.2.3` and `*`. */
const plainRange = /^(\*)$|^(\^|>=)(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;
const plainVersion = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;

/** Whether a text is a range of versions, as npm has them. */
export function isVersionRange(range: string): boolean {
  return plainRange.test(range) || validRange(range) !== null;
}

/** Whether a range holds every version. */
export function isAnyVersion(range: string): boolean {
  return range === '*' || validRange(range) === '*';
}

/** Whether a range holds a version. A range that names no prerelease holds some all the same with `includePrerelease`. */
export function isInRange(
  version: string,
  range: string,
  options: { readonly includePrerelease?: boolean } = {},
): boolean {
  const [isPlain, any, kind, ...least] = plainRange.exec(range) ?? [];
  const [, ...numbers] = plainVersion.exec(version) ?? [];
  if (isPlain === undefined || numbers.length === 0) return satisfies(version, range, options);
  if (any !== undefined) return true;
  if (compare(numbers, least) < 0) return false;
  // `^` leaves the first number as it is that is not 0, and what stands before it.
  const fixed = least.findIndex((number) => number !== '0');
  return (
    kind !== '^' ||
    least.slice(0, fixed === -1 ? 3 : fixed + 1).every((each, index) => each === numbers[index])
  );
}

/** Whether a version is below all that a range holds. */
export function isBelowRange(version: string, range: string): boolean {
  return lessThanRange(version, range);
}

/** Whether a version is above all that a range holds. */
export function isAboveRange(version: string, range: string): boolean {
  return greaterThanRange(version, range);
}

/** Below 0 when the first is the smaller one. */
function compare(numbers: readonly string[], others: readonly string[]): number {
  const differences = numbers.map((number, index) => Number(number) - Number(others[index]));
  return differences.find((difference) => difference !== 0) ?? 0;
}
