import { ShallotError, type ErrorCode } from '@shallot/core';
import { findPackage, shortName, type InstalledSchema } from '@shallot/core/command';

import type { AgentCommandOptions } from '../asking/config-loading.ts';
import type { Screen } from '../terminal/screen.ts';
import type { ChosenVersion } from './choose-version.ts';
import type { Project } from './find-project.ts';
import { listedIn } from './listed-plugins.ts';
import type { Installing } from './make-change.ts';
import { describeConfig } from './schema-file.ts';

/**
 * Installs versions of plugins, each into its group of the manifest. @throws `INSTALL_FAILED`, also if another version was
 * installed
 */
export async function installVersions(
  versions: readonly ChosenVersion[],
  { install }: Installing,
  project: Project,
): Promise<void> {
  const groups = Map.groupBy(versions, ({ name, isExact }) =>
    JSON.stringify({ exact: isExact, dev: listedIn(project, name)?.dev ?? false }),
  );
  for (const [choice, members] of groups) {
    const packages = members.map(({ name, spec }) => `${name}@${spec}`);
    // The key was made by JSON.stringify above.
    await install(project.manager.add(packages, JSON.parse(choice) as { exact: boolean; dev: boolean }));
  }
  const { directory, manager } = project;
  for (const { name, version } of versions) {
    const installed = findPackage(name, directory)?.manifest.version;
    if (installed === version) continue;
    const state = typeof installed === 'string' ? `installed ${installed}` : 'did not install it';
    throw new ShallotError('INSTALL_FAILED', {
      message: `${manager.name} was to install ${name} ${version}, and ${state}. Check the settings of ${manager.name} that choose versions. The project is as it was.`,
    });
  }
}

/** Describes plugins after an install. @throws if one cannot be imported */
export async function describeInstalled(
  packages: readonly string[],
  options: AgentCommandOptions,
  { project, screen }: { readonly project: Project; readonly screen: Screen },
): Promise<InstalledSchema> {
  const described = await describeConfig({ ...options, config: project.config }, screen);
  const names = new Set(packages.flatMap((name) => [name, shortName(name)]));
  const failure = described.warnings.find(
    ({ plugin, code }) => plugin !== undefined && names.has(plugin) && !harmless.has(code),
  );
  if (failure === undefined) return described;
  const { code, message, plugin, cause } = failure;
  throw new ShallotError(code, {
    message: `${message} The package was not added; the project is as it was.`,
    plugin,
    cause,
  });
}

/** Warnings that do not prevent a plugin from working. */
const harmless: ReadonlySet<ErrorCode> = new Set(['PLUGIN_PEER', 'PLUGIN_UNLISTED']);
