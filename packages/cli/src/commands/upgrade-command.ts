import { join } from 'node:path';

import { ShallotError } from '@shallot/core';
import { findPackage, nearestPackage, pluginCandidates, shortName } from '@shallot/core/command';

import { changeLine } from '../project/change-lines.ts';
import { chooseVersion, commandPackage, type ChosenVersion } from '../project/choose-version.ts';
import { findProject, type Project } from '../project/find-project.ts';
import { describeInstalled, installVersions } from '../project/install-versions.ts';
import { listedIn, listedPlugins } from '../project/listed-plugins.ts';
import { makeChange, type ProjectChange, type ProjectChangeOptions } from '../project/make-change.ts';
import { refreshSchema } from '../project/schema-file.ts';
import { readTypedName } from '../project/typed-name.ts';
import type { Asking } from '../project/versions-of.ts';
import { calledAs } from '../terminal/called-as.ts';
import { shortPath } from '../terminal/place.ts';
import type { Screen } from '../terminal/screen.ts';

/**
 * `shallot upgrade`: installs the newest compatible versions of plugins and of the command, and reports newer
 * incompatible ones.
 */
export async function upgradeCommand(
  typed: readonly string[],
  options: ProjectChangeOptions,
  screen: Screen,
): Promise<number> {
  const project = await findProject(options, screen);
  const command = ['shallot upgrade', ...typed].join(' ');
  return makeChange({ project, command, options, screen }, (asking) => planUpgrade(typed, options, asking));
}

interface Upgradable {
  readonly name: string;
  readonly version: string;
  readonly range?: string | undefined;
}

async function planUpgrade(
  typed: readonly string[],
  options: ProjectChangeOptions,
  asking: Asking,
): Promise<ProjectChange | undefined> {
  const { project, screen } = asking;
  const versions: ChosenVersion[] = [];
  const shown: string[] = [];
  const upgradable = findUpgradable(typed, project);
  if (upgradable.length === 0) {
    const file = shortPath(join(project.home, 'package.json'), screen.io.cwd);
    await screen.line(
      `${file} lists no plugin, so there is nothing to upgrade. To add one: ${calledAs(screen.io.env)} add`,
    );
  }
  for (const { name, version, range } of upgradable) {
    const chosen = await chooseVersion(name, range, asking);
    if (chosen === undefined) throw notPublished(name, project);
    for (const refused of chosen.refused)
      screen.note(`${name} ${refused.version} does not fit: ${refused.reason}.`);
    if (chosen.version === version) {
      await screen.line(`${name} ${version} is the newest version that fits.`);
      continue;
    }
    versions.push(chosen);
    shown.push(
      changeLine(join(project.home, 'package.json'), `"${name}": ${version} → ${chosen.spec}`, screen),
    );
  }
  return {
    shown,
    async make(installing) {
      const plugins = versions.filter(({ name }) => name !== commandPackage);
      await installVersions(plugins, installing, project);
      const names = plugins.map(({ name }) => name);
      await describeInstalled(names, options, asking);
      await refreshSchema({ ...options, config: project.config }, project.config, screen);
      for (const { name, version } of plugins) await screen.line(`Upgraded ${name} to ${version}.`);
      // Upgrades the command last, because this replaces the files that this process runs from.
      for (const command of versions.filter((each) => !plugins.includes(each))) {
        await installVersions([command], installing, project);
        await screen.line(`Upgraded ${command.name} to ${command.version}.`);
      }
    },
  };
}

/** Returns the packages to upgrade: those typed, else all plugins in the manifest, and the command. */
function findUpgradable(typed: readonly string[], project: Project): readonly Upgradable[] {
  const listed = [...listedPlugins(project), ...listedCommand(project)];
  if (typed.length === 0) return listed;
  return typed.map((each) => {
    const { name, range } = readTypedName(each);
    const candidates = name === commandPackage ? [name] : pluginCandidates(name);
    const found = listed.find((plugin) => candidates.includes(plugin.name));
    if (found !== undefined) return { ...found, range };
    const near = nearestPackage(name, 'plugin', project.directory);
    const hint = near === undefined ? '' : ` Did you mean "${shortName(near)}"?`;
    throw new ShallotError('PACKAGE_NOT_FOUND', {
      message: `${join(project.home, 'package.json')} lists no plugin "${name}" that is installed.${hint || ` To install it: shallot add ${name}`}`,
    });
  });
}

function listedCommand(project: Project): readonly Upgradable[] {
  const version = findPackage(commandPackage, project.directory)?.manifest.version;
  if (typeof version !== 'string' || listedIn(project, commandPackage) === undefined) return [];
  return [{ name: commandPackage, version }];
}

function notPublished(name: string, { manager }: Project): ShallotError {
  return new ShallotError('PACKAGE_NOT_FOUND', {
    message: `The registry of ${manager.name} has no package ${name}. Check the registry in its settings; a package that is not published is upgraded by hand.`,
  });
}
