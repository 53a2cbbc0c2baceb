import { ShallotError } from '@shallot/core';
import { importPackage } from '@shallot/core/config';
import { pluginApi } from '@shallot/core/plugin';

import type { Project } from './find-project.ts';
import { manifestOf, versionsOf, type Asking } from './versions-of.ts';

/** A version that is newer than the chosen one, and why it was not chosen. */
export interface RefusedVersion {
  readonly version: string;
  readonly reason: string;
}

/** The newest version of a package that works with the installed core. */
export interface ChosenVersion {
  readonly name: string;
  readonly version: string;
  /** What the manifest is to say: a range, but for a version whose range holds one that does not fit. */
  readonly spec: string;
  readonly isExact: boolean;
  readonly refused: readonly RefusedVersion[];
}

/** So many versions are looked at: who has published more of them that do not fit is told which is wanted. */
const maxLooked = 30;

/**
 * Chooses the newest version of a package, in a range, that works with the project's core; undefined if there is no such
 * package. @throws `PACKAGE_UNFIT` with the reasons, `REGISTRY_FAILED`
 */
export async function chooseVersion(
  name: string,
  range: string | undefined,
  asking: Asking,
): Promise<ChosenVersion | undefined> {
  const versions = await versionsOf(name, asking);
  if (versions === undefined) return undefined;
  const { tools } = asking.project;
  const wanted = range === undefined ? versions : versions.filter((each) => tools.isInRange(each, range));
  const core = await coreVersions(asking.project);
  const refused: RefusedVersion[] = [];
  for (const version of wanted.slice(0, maxLooked)) {
    const reason = tools.reasonNotToFit(await manifestOf(name, version, asking), core);
    if (reason === undefined) return chosen(name, version, range, { refused, versions, tools });
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
  throw new ShallotError('PACKAGE_UNFIT', { message: `${name} ${why}\n    ${advice}`, plugin: name });
}

function chosen(
  name: string,
  version: string,
  range: string | undefined,
  {
    refused,
    versions,
    tools,
  }: { refused: RefusedVersion[]; versions: readonly string[]; tools: Project['tools'] },
): ChosenVersion {
  const caret = `^${version}`;
  const newestInCaret = versions.find((each) => tools.isInRange(each, caret));
  // A range that reaches further would bring the next install a version that does not fit, or was not asked for.
  const isExact = range === version || newestInCaret !== version;
  return { name, version, spec: isExact ? version : caret, isExact, refused };
}

/** The versions of the core that the command has, and of the one that the project has. */
async function coreVersions({ tools, directory }: Project): Promise<{ pluginApis: string[]; core?: string }> {
  const core = tools.findPackage('@shallot/core', directory)?.manifest.version;
  if (typeof core !== 'string') return { pluginApis: [pluginApi] };
  const { pluginApi: other } = await importPackage('@shallot/core/plugin', { directory });
  return { core, pluginApis: [...new Set([pluginApi, ...(typeof other === 'string' ? [other] : [])])] };
}
