import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  findPackage,
  loadConfigEditor,
  shortName,
  type ConfigEditor,
  type KnownPlugin,
} from '@shallot/core/command';

import { changeLine } from '../project/change-lines.ts';
import { findProject, type Project } from '../project/find-project.ts';
import { describeInstalled, installVersions } from '../project/install-versions.ts';
import { makeChange, type ProjectChange, type ProjectChangeOptions } from '../project/make-change.ts';
import { findPluginToAdd, type PluginToAdd } from '../project/plugin-to-add.ts';
import { replaceFile } from '../project/replace-file.ts';
import { refreshSchema } from '../project/schema-file.ts';
import type { Asking } from '../project/versions-of.ts';
import type { Screen } from '../terminal/screen.ts';

export interface AddCommandOptions extends ProjectChangeOptions {
  /** Accepts names similar to those of known plugins without a question. */
  readonly exactName?: boolean;
}

/** `shallot add`: installs the newest compatible versions of plugins, and lists them in the config. */
export async function addCommand(
  typed: readonly string[],
  options: AddCommandOptions,
  screen: Screen,
): Promise<number> {
  const project = await findProject(options, screen);
  const command = `shallot add ${typed.join(' ')}`;
  return makeChange({ project, command, options, screen }, async (asking) => {
    const plugins: PluginToAdd[] = [];
    for (const name of typed) plugins.push(await findPluginToAdd(name, asking, options.exactName ?? false));
    return planAddition(plugins, options, asking);
  });
}

/** Plans the addition of plugins; undefined if all are already there. */
async function planAddition(
  plugins: readonly PluginToAdd[],
  options: AddCommandOptions,
  asking: Asking,
): Promise<ProjectChange> {
  const { project, screen } = asking;
  const editor = await loadConfigEditor();
  const versions = plugins.flatMap(({ install }) => install ?? []);
  const text = readFileSync(project.config, 'utf8');
  const unlisted = plugins.filter((plugin) => !isListed(plugin, editor.pluginEntries(text, project.config)));
  const edited = addEntries(unlisted, text, project, editor);
  if (versions.length === 0 && unlisted.length === 0) {
    await screen.line('Nothing to add: installed and listed already. For a newer version: shallot upgrade');
  }
  return {
    shown: [
      ...versions.map(({ name, spec }) =>
        changeLine(join(project.home, 'package.json'), `+ "${name}": "${spec}"`, screen),
      ),
      ...unlisted.map(({ use }) =>
        changeLine(project.config, edited === undefined ? `${use}, by lines to paste` : `+ ${use}`, screen),
      ),
    ],
    async make(installing) {
      if (versions.length > 0) await installVersions(versions, installing, project);
      const names = plugins.map(({ packageName }) => packageName);
      const { plugins: known } = await describeInstalled(names, options, asking);
      // Read again: the install changes a package.json that contains the config.
      const after = addEntries(unlisted, readFileSync(project.config, 'utf8'), project, editor);
      if (after !== undefined && unlisted.length > 0) replaceFile(project.config, after);
      await refreshSchema({ ...options, config: project.config }, project.config, screen);
      for (const plugin of plugins) {
        const version = findPackage(plugin.packageName, project.directory)?.manifest.version;
        await screen.line(`Added ${plugin.use} (${plugin.packageName} ${String(version)}).`);
        noteRequired(plugin, known, screen);
      }
      if (edited === undefined) await showLines(unlisted, project, screen);
    },
  };
}

type Entries = ReturnType<ConfigEditor['pluginEntries']>;

function isListed({ use, packageName }: PluginToAdd, entries: Entries): boolean {
  const names = new Set<unknown>([use, packageName, shortName(packageName)]);
  return entries?.some((entry) => names.has(entry.use)) ?? false;
}

/** Returns the text of a config with added entries; undefined if a person must write them. */
function addEntries(
  plugins: readonly PluginToAdd[],
  text: string,
  { config }: Project,
  { addPluginEntry }: ConfigEditor,
): string | undefined {
  return plugins.reduce<string | undefined>(
    (before, { use }) => (before === undefined ? undefined : addPluginEntry(before, config, use)?.text),
    // Tries whether the text can be edited at all.
    plugins.length > 0 || addPluginEntry(text, config, 'any') !== undefined ? text : undefined,
  );
}

async function showLines(
  plugins: readonly PluginToAdd[],
  { config }: Project,
  screen: Screen,
): Promise<void> {
  if (plugins.length === 0) return;
  const lines = plugins.map(({ use }) => `  { use: '${use}' },`).join('\n');
  await screen.line(
    `Add to "plugins" in ${changeLine(config, '', screen).trim()}, which cannot be edited in place:\n${lines}`,
  );
}

/** Notes required options of an added plugin, without which the agent does not start. */
function noteRequired(
  { packageName, use }: PluginToAdd,
  known: readonly KnownPlugin[],
  screen: Screen,
): void {
  const required = known.find(({ names }) => names.includes(packageName))?.options?.['required'];
  if (!Array.isArray(required) || required.length === 0) return;
  const lines = required.map((option) => `      ${String(option)}: …`).join('\n');
  screen.note(`${use} needs options. Write them in its entry:\n  - use: ${use}\n    options:\n${lines}`);
}
