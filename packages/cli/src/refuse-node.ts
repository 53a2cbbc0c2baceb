/**
 * Returns the reason why the command does not run on this version of Node, given as in `process.versions.node`;
 * undefined if it does.
 */
export function refuseNode(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major >= 24 || (major === 22 && minor >= 18)) return undefined;
  return `shallot needs Node 22.18 or newer (^22.18 || >=24); this is ${version}. Install a newer version of Node (https://nodejs.org).`;
}
