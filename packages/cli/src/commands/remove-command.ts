import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ShallotError } from '@shallot/core';
import { isPath, loadConfigEditor, nearestPackage, pluginCandidates, shortName } from '@shallot/core/command';
import { loadConfig } from '@shallot/core/config';

import { tryStart } from '../doctor/report-start.ts';
import { changeLine } from '../project/change-lines.ts';
import { findProject, type Project } from '../project/find-project.ts';
import { listedIn } from '../project/listed-plugins.ts';
import { makeChange, type ProjectChange, type ProjectChangeOptions } from '../project/make-change.ts';
import { replaceFile } from '../project/replace-file.ts';
import { refreshSchema } from '../project/schema-file.ts';
import { readTypedName } from '../project/typed-name.ts';
import type { Asking } from '../project/versions-of.ts';
import type { Screen } from '../terminal/screen.ts';

/**
 * `shallot remove`: removes plugins from the config, uninstalls their packages, and starts the agent once. Returns 2 if it
 * does not start without them.
 */
export async function removeCommand(
  typed: readonly string[],
  options: ProjectChangeOptions,
  screen: Screen,
): Promise<number> {
  const project = await findProject(options, screen);
  const command = `shallot remove ${typed.join(' ')}`;
  return makeChange({ project, command, options, screen }, (asking) => planRemoval(typed, options, asking));
}

async function planRemoval(
  typed: readonly string[],
  options: ProjectChangeOptions,
  asking: Asking,
): Promise<ProjectChange> {
  const { project, screen } = asking;
  const { config } = project;
  const editor = await loadConfigEditor();
  const text = readFileSync(config, 'utf8');
  const entries = editor.pluginEntries(text, config);
  const removals = Array.from(new Set(typed), (each) => findRemoval(each, entries ?? [], project));
  for (const removal of removals) {
    const isThere = removal.packages.length > 0 || removal.isListed || entries === undefined;
    if (!isThere) throw unknownPlugin(removal, project);
    const edited = editor.removePluginEntries(text, config, removal.isMeant);
    if (edited === undefined && (removal.isListed || entries === undefined)) {
      await refuseInCode(removal, options, project);
    }
  }
  const packages = [...new Set(removals.flatMap((removal) => removal.packages))];
  const edited = removals.reduce(
    (before, removal) => editor.removePluginEntries(before, config, removal.isMeant)?.text ?? before,
    text,
  );
  return {
    shown: [
      ...removals.flatMap(({ name, isListed }) =>
        isListed ? [changeLine(config, `- ${name}`, screen)] : [],
      ),
      ...packages.map((name) => changeLine(join(project.home, 'package.json'), `- "${name}"`, screen)),
    ],
    async make({ install }) {
      // Edits the config first, so that it never lists a package that is not installed.
      if (edited !== text) replaceFile(config, edited);
      if (packages.length > 0) await install(project.manager.remove(packages));
      await refreshSchema({ ...options, config }, config, screen);
      for (const { name } of removals) await screen.line(`Removed ${name}.`);
    },
    check: () => tryStart(asking, 'The agent does not start without what was removed, which stays removed.'),
  };
}

interface Entry {
  readonly use: unknown;
  readonly id: unknown;
}

interface Removal {
  /** The name as typed. */
  readonly name: string;
  readonly isMeant: (entry: Entry) => boolean;
  readonly isListed: boolean;
  /** The packages to uninstall: listed in the manifest, and used by no other entry. */
  readonly packages: readonly string[];
}

/**
 * Finds the entries to remove: an id means one entry; a name or package means all its entries, and the package itself.
 */
function findRemoval(typed: string, entries: readonly Entry[], project: Project): Removal {
  const isFile = isPath(typed);
  const name = isFile ? typed : readTypedName(typed).name;
  const candidates = isFile ? [] : pluginCandidates(name);
  const packages = candidates.filter((candidate) => listedIn(project, candidate) !== undefined);
  const names = new Set([name, ...candidates, ...packages.map(shortName)]);
  const isOfPlugin = ({ use }: Entry): boolean => typeof use === 'string' && names.has(use);
  const byId = ({ id }: Entry): boolean => id === name;
  const isMeant = entries.some(byId) ? byId : isOfPlugin;
  // Other entries of the same package still need it.
  const isNeeded = entries.some((entry) => isOfPlugin(entry) && !isMeant(entry));
  return { name, isMeant, isListed: entries.some(isMeant), packages: isNeeded ? [] : packages };
}

function unknownPlugin({ name }: Removal, { config, home, directory }: Project): ShallotError {
  const near = nearestPackage(name, 'plugin', directory);
  const isOther = near !== undefined && !pluginCandidates(name).includes(near);
  const hint = isOther ? `Did you mean "${shortName(near)}"?` : 'There is nothing to remove.';
  return new ShallotError('PACKAGE_NOT_FOUND', {
    message: `Neither the config nor ${join(home, 'package.json')} lists a plugin "${name}". ${hint}`,
    at: { file: config },
  });
}

/**
 * Rejects plugins that a config in code or a base config lists, or may list, because it would still refer to the package.
 */
async function refuseInCode(
  { name, isMeant }: Removal,
  options: ProjectChangeOptions,
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
