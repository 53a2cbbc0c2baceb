/**
 * Why something does not work on this version of Node, if it does not: what `engines` of our packages say, as a sentence.
 * `version` is as in `process.versions.node`.
 */
export function refuseNode(what: string, version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major >= 24 || (major === 22 && minor >= 18)) return undefined;
  return `${what} needs Node 22.18 or newer (^22.18 || >=24); this is ${version}. Install a newer version of Node (https://nodejs.org).`;
}
