import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ShallotError } from '@shallot/core';
import { loadConfig } from '@shallot/core/config';

import { changeLine } from '../project/change-lines.ts';
import { findProject, type Project } from '../project/find-project.ts';
import { listedIn } from '../project/listed-plugins.ts';
import { makeChange, type Change, type ChangeOptions } from '../project/make-change.ts';
import { replaceFile } from '../project/replace-file.ts';
import { refreshSchema } from '../project/schema-file.ts';
import { readTypedName } from '../project/typed-name.ts';
import type { Screen } from '../terminal/screen.ts';

/** `shallot remove`: takes plugins out of the config, and uninstalls their packages. */
export async function removeCommand(
  typed: readonly string[],
  options: ChangeOptions,
  screen: Screen,
): Promise<number> {
  const project = await findProject(options, screen);
  const command = `shallot remove ${typed.join(' ')}`;
  return makeChange({ project, command, options, screen }, async () =>
    planRemoval(typed, options, { project, screen }),
  );
}

async function planRemoval(
  typed: readonly string[],
  options: ChangeOptions,
  { project, screen }: { readonly project: Project; readonly screen: Screen },
): Promise<Change> {
  const { tools, config } = project;
  const text = readFileSync(config, 'utf8');
  const entries = tools.pluginEntries(text, config);
  const removals = typed.map((each) => findRemoval(each, entries ?? [], project));
  for (const removal of removals) {
    const isThere = removal.packages.length > 0 || removal.isListed || entries === undefined;
    if (!isThere) throw unknownPlugin(removal, project);
    const edited = tools.removePluginEntries(text, config, removal.isMeant);
    if (edited === undefined && (removal.isListed || entries === undefined)) {
      await refuseInCode(removal, options, project);
    }
  }
  const packages = removals.flatMap((removal) => removal.packages);
  const edited = removals.reduce((before, removal) => withoutEntries(before, removal, project), text);
  return {
    shown: [
      ...removals.flatMap(({ name, isListed }) =>
        isListed ? [changeLine(config, `- ${name}`, screen)] : [],
      ),
      ...packages.map((name) => changeLine(join(project.home, 'package.json'), `- "${name}"`, screen)),
    ],
    async make({ install }) {
      // First, so that the config never names what is not installed.
      if (edited !== text) replaceFile(config, edited);
      if (packages.length > 0) await install(project.manager.remove(packages));
      await refreshSchema({ ...options, config }, config, screen);
      for (const { name } of removals) await screen.line(`Removed ${name}.`);
    },
  };
}

interface Entry {
  readonly use: unknown;
  readonly id: unknown;
}

interface Removal {
  /** As it was typed. */
  readonly name: string;
  readonly isMeant: (entry: Entry) => boolean;
  readonly isListed: boolean;
  /** What is to be uninstalled: what the manifest lists, and no other entry uses. */
  readonly packages: readonly string[];
}

/** An id means one entry; a name or a package all entries of it, and the package itself. */
function findRemoval(typed: string, entries: readonly Entry[], project: Project): Removal {
  const { tools } = project;
  const isPath = tools.isPath(typed);
  const name = isPath ? typed : readTypedName(typed, tools).name;
  const candidates = isPath ? [] : tools.pluginCandidates(name);
  const packages = candidates.filter((candidate) => listedIn(project, candidate) !== undefined);
  const names = new Set([name, ...candidates, ...packages.map(tools.shortName)]);
  const isOfPlugin = ({ use }: Entry): boolean => typeof use === 'string' && names.has(use);
  const byId = ({ id }: Entry): boolean => id === name;
  const isMeant = entries.some(byId) ? byId : isOfPlugin;
  // The others of one package, under other ids, still need it.
  const isNeeded = entries.some((entry) => isOfPlugin(entry) && !isMeant(entry));
  return { name, isMeant, isListed: entries.some(isMeant), packages: isNeeded ? [] : packages };
}

function withoutEntries(text: string, { isMeant }: Removal, { tools, config }: Project): string {
  return tools.removePluginEntries(text, config, isMeant)?.text ?? text;
}

function unknownPlugin({ name }: Removal, { config, home, tools, directory }: Project): ShallotError {
  const near = tools.nearestPackage(name, 'plugin', directory);
  const hint = near === undefined ? 'Fix the name.' : `Did you mean "${tools.shortName(near)}"?`;
  return new ShallotError('PACKAGE_NOT_FOUND', {
    message: `Neither the config nor ${join(home, 'package.json')} lists a plugin "${name}". ${hint}`,
    at: { file: config },
  });
}

/** A config that is code, or extends the one that lists the plugin, keeps naming it: its package has to stay. */
async function refuseInCode(
  { name, isMeant }: Removal,
  options: ChangeOptions,
  { config }: Project,
): Promise<void> {
  const { merged } = await loadConfig({ path: config, env: {} }).catch(() => ({ merged: undefined }));
  const entry = merged?.plugins.find(({ value: { use, id } }) => isMeant({ use, id }));
  if (merged !== undefined && entry === undefined) return;
  throw new ShallotError('PACKAGE_NAME', {
    message: `The config cannot be edited in place, and may name "${name}". Remove its entry from "plugins", and run the command again${options.config === undefined ? '' : ` with --config ${options.config}`}.`,
    at: entry?.locate() ?? { file: config },
    plugin: name,
  });
}
