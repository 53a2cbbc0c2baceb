import newerFirst from 'semver/functions/rcompare.js';
import valid from 'semver/functions/valid.js';

/** Returns the valid versions among some strings, the newest first; prereleases only if there is nothing else. */
export function newestVersions(texts: readonly string[]): string[] {
  const versions = texts.filter((text) => valid(text) !== null).toSorted(newerFirst);
  const released = versions.filter((version) => !version.includes('-'));
  return released.length > 0 ? released : versions;
}
