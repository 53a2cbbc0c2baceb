import { ShallotError } from '@shallot/core';
import {
  findPackage,
  isInRange,
  pluginManifest,
  reasonForPeer,
  reasonNotToFit,
  type ManifestEntry,
} from '@shallot/core/command';
import { importPackage } from '@shallot/core/config';
import { pluginApi } from '@shallot/core/plugin';

import type { Project } from './find-project.ts';
import { manifestOf, versionsOf, type Asking } from './versions-of.ts';

/** A newer version that was not chosen, and the reason. */
export interface RefusedVersion {
  readonly version: string;
  readonly reason: string;
}

/** The newest version of a package that is compatible with the installed core. */
export interface ChosenVersion {
  readonly name: string;
  readonly version: string;
  /** The version for the manifest: a range, or the exact version if the range includes an incompatible one. */
  readonly spec: string;
  readonly isExact: boolean;
  /** The entry that its package.json proposes. */
  readonly entry: ManifestEntry | undefined;
  readonly refused: readonly RefusedVersion[];
}

/** The package of this command, which can be upgraded like a plugin. */
export const commandPackage = 'shallot';

/** The most versions to check; beyond that, the error asks for a version. */
const maxLooked = 30;

/**
 * Chooses the newest version of a package, within a range, that is compatible with the project's core; undefined if
 * there is no such package. @throws `PACKAGE_INCOMPATIBLE` with the reasons, `REGISTRY_FAILED`
 */
export async function chooseVersion(
  name: string,
  range: string | undefined,
  asking: Asking,
): Promise<ChosenVersion | undefined> {
  const versions = await versionsOf(name, asking);
  if (versions === undefined) return undefined;
  const wanted = range === undefined ? versions : versions.filter((each) => isInRange(each, range));
  const core = await coreVersions(asking.project);
  const refused: RefusedVersion[] = [];
  for (const version of wanted.slice(0, maxLooked)) {
    const manifest = await manifestOf(name, version, asking);
    const reason =
      name === commandPackage ? reasonForPeer(manifest, core.core) : reasonNotToFit(manifest, core);
    if (reason === undefined) return chosen(version, manifest, { name, range, refused, versions });
    refused.push({ version, reason });
  }
  const list = refused.map(({ version, reason }) => `\n    ${version}: ${reason}`).join('');
  const why =
    wanted.length === 0
      ? `has no version in the range "${range ?? ''}"; the newest is ${versions[0] ?? ''}.`
      : `has no version that works with the installed core:${list}`;
  const advice = refused.some(({ reason }) => reason.startsWith('it is not a plugin'))
    ? 'Fix the name; a package that is none of these can be installed and listed by hand.'
    : 'Choose another range, or install a core that fits.';
  throw new ShallotError('PACKAGE_INCOMPATIBLE', { message: `${name} ${why}\n    ${advice}`, plugin: name });
}

interface Choosing {
  readonly name: string;
  readonly range: string | undefined;
  readonly refused: RefusedVersion[];
  readonly versions: readonly string[];
}

function chosen(
  version: string,
  manifest: unknown,
  { name, range, refused, versions }: Choosing,
): ChosenVersion {
  const caret = `^${version}`;
  const newestInCaret = versions.find((each) => isInRange(each, caret));
  // A wider range would let the next install choose an incompatible or unwanted version.
  const isExact = range === version || newestInCaret !== version;
  const entry = isObject(manifest) ? pluginManifest(manifest).entry : undefined;
  return { name, version, spec: isExact ? version : caret, isExact, entry, refused };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * Returns the versions of the plugin API in the command's core and in the project's, and the version of the project's
 * core if it is installed.
 */
async function coreVersions({ directory }: Project): Promise<{ pluginApis: string[]; core?: string }> {
  const core = findPackage('@shallot/core', directory)?.manifest.version;
  if (typeof core !== 'string') return { pluginApis: [pluginApi] };
  const { pluginApi: other } = await importPackage('@shallot/core/plugin', { directory });
  return { core, pluginApis: [...new Set([pluginApi, ...(typeof other === 'string' ? [other] : [])])] };
}
