/**
 * Returns the reason why `what` does not run on this version of Node, as a sentence; undefined if it does. The range is
 * that of `engines` in the packages. `version` has the form of `process.versions.node`.
 */
export function refuseNode(what: string, version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major >= 24 || (major === 22 && minor >= 18)) return undefined;
  return `${what} needs Node 22.18 or newer (^22.18 || >=24); this is ${version}. Install a newer version of Node (https://nodejs.org).`;
}
