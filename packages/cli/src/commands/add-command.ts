import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isShallotError, ShallotError } from '@shallot/core';
import {
  findPackage,
  loadConfigEditor,
  pluginManifest,
  shortName,
  type ConfigEditor,
} from '@shallot/core/command';
import { loadConfig, type LoadedConfig } from '@shallot/core/config';

import { configLoading } from '../asking/config-loading.ts';
import { reportStart, type Added } from '../doctor/report-start.ts';
import { changeLine } from '../project/change-lines.ts';
import { findProject, type Project } from '../project/find-project.ts';
import { describeInstalled, installVersions } from '../project/install-versions.ts';
import { makeChange, type ProjectChange, type ProjectChangeOptions } from '../project/make-change.ts';
import { findPluginToAdd, type PluginToAdd } from '../project/plugin-to-add.ts';
import { entryToWrite, type Trust, type WrittenEntry } from '../project/proposed-entry.ts';
import { replaceFile } from '../project/replace-file.ts';
import { refreshSchema } from '../project/schema-file.ts';
import type { Asking } from '../project/versions-of.ts';
import { calledAs } from '../terminal/called-as.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { canAsk } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';

export interface AddCommandOptions extends ProjectChangeOptions {
  /** Accepts names similar to those of known plugins without a question. */
  readonly exactName?: boolean;
  /** The plugins whose proposed entries are written although nobody is asked. */
  readonly trust?: readonly string[];
}

/**
 * `shallot add`: installs the newest compatible versions of plugins, lists them in the config with the entries that they
 * propose, and starts the agent once. Returns 2 if it does not start yet, after saying what to write.
 */
export async function addCommand(
  typed: readonly string[],
  options: AddCommandOptions,
  screen: Screen,
): Promise<number> {
  const project = await findProject(options, screen);
  const config = await readableConfig(project, screen);
  const command = `shallot add ${typed.join(' ')}`;
  return makeChange({ project, command, options, screen }, async (asking) => {
    const plugins: PluginToAdd[] = [];
    for (const name of typed) {
      const plugin = await findPluginToAdd(name, asking, options.exactName ?? false);
      refuseTwice(plugin, plugins);
      plugins.push(plugin);
    }
    return planAddition(plugins, { options, config, asking });
  });
}

/** Refuses a package that was named before, perhaps in another version. @throws `PACKAGE_NAME` */
function refuseTwice({ packageName }: PluginToAdd, before: readonly PluginToAdd[]): void {
  if (!before.some((plugin) => plugin.packageName === packageName)) return;
  throw new ShallotError('PACKAGE_NAME', { message: `${packageName} is named twice. Write it once.` });
}

/**
 * Loads the config before anything is changed; undefined if it only lacks environment variables. Rejects with a usage
 * failure.
 */
async function readableConfig(project: Project, screen: Screen): Promise<LoadedConfig | undefined> {
  try {
    return await screen.uncaught.orFirst(() =>
      loadConfig({ ...configLoading({ config: project.config }, screen), path: project.config }),
    );
  } catch (cause) {
    const parts = isShallotError(cause) && cause.errors.length > 0 ? cause.errors : [cause];
    if (parts.every((part) => isShallotError(part, 'CONFIG_ENV'))) return undefined;
    throw new CommandFailure(exitStatus.usage, { cause });
  }
}

interface Addition {
  readonly options: AddCommandOptions;
  readonly config: LoadedConfig | undefined;
  readonly asking: Asking;
}

/** Plans the addition of plugins. The plan shows no changes if all of them are installed and listed already. */
async function planAddition(
  plugins: readonly PluginToAdd[],
  { options, config, asking }: Addition,
): Promise<ProjectChange> {
  const { project, screen } = asking;
  const editor = await loadConfigEditor();
  const versions = plugins.flatMap(({ install }) => install ?? []);
  const text = readFileSync(project.config, 'utf8');
  const listed = listedNames(editor.pluginEntries(text, project.config), config);
  const unlisted = plugins.filter((plugin) => !isListed(plugin, listed, project));
  const trust: Trust = { isAsked: options.yes !== true && canAsk(screen.io), names: options.trust ?? [] };
  const added = unlisted.map((plugin): Added => ({ plugin, written: entryToWrite(plugin, trust) }));
  const entries = added.map(({ written }) => written);
  const canEdit = addEntries(entries, text, project, editor) !== undefined;
  if (versions.length === 0 && unlisted.length === 0) {
    await screen.line(
      `Nothing to add: installed and listed already. For a newer version: ${calledAs(screen.io.env)} upgrade`,
    );
  }
  const shownEntry = (entry: WrittenEntry): string => visibleLine(editor.flowEntry(entry));
  return {
    shown: [
      ...versions.map(({ name, spec }) =>
        changeLine(join(project.home, 'package.json'), `+ "${name}": "${spec}"`, screen),
      ),
      ...entries.map((entry) =>
        changeLine(
          project.config,
          canEdit ? `+ ${shownEntry(entry)}` : `${shownEntry(entry)}, by lines to paste`,
          screen,
        ),
      ),
    ],
    async make(installing) {
      if (versions.length > 0) await installVersions(versions, installing, project);
      const names = plugins.map(({ packageName }) => packageName);
      await describeInstalled(names, options, asking);
      // Read again: the install changes a package.json that contains the config.
      const after = addEntries(entries, readFileSync(project.config, 'utf8'), project, editor);
      if (after !== undefined && entries.length > 0) replaceFile(project.config, after);
      await refreshSchema({ ...options, config: project.config }, project.config, screen);
      for (const { use, packageName } of plugins) {
        const version = findPackage(packageName, project.directory)?.manifest.version;
        await screen.line(`Added ${use} (${packageName} ${String(version)}).`);
      }
    },
    check: () => reportStart(added, { canEdit, editor, asking }),
  };
}

/** Returns the names by which a config lists plugins: as written in it, else as loaded, for a config that is code. */
function listedNames(
  written: ReturnType<ConfigEditor['pluginEntries']>,
  config: LoadedConfig | undefined,
): ReadonlySet<unknown> {
  if (written !== undefined) return new Set(written.map(({ use }) => use));
  const uses = config?.merged.plugins.map(({ value }) => value.use) ?? [];
  return new Set(uses.map((use) => (typeof use === 'string' ? use : use.definition.name)));
}

function isListed(
  { use, packageName }: PluginToAdd,
  listed: ReadonlySet<unknown>,
  { directory }: Project,
): boolean {
  const found = findPackage(packageName, directory);
  const ownName = found && pluginManifest(found.manifest).plugin;
  return [use, packageName, shortName(packageName), ownName].some(
    (name) => name !== undefined && listed.has(name),
  );
}

/** Returns the text of a config with added entries; undefined if a person must write them. */
function addEntries(
  entries: readonly WrittenEntry[],
  text: string,
  { config }: Project,
  { addPluginEntry }: ConfigEditor,
): string | undefined {
  return entries.reduce<string | undefined>(
    (before, entry) => (before === undefined ? undefined : addPluginEntry(before, config, entry)?.text),
    // Without an entry to add, adds one on trial to find out if the text can be edited at all.
    entries.length > 0 || addPluginEntry(text, config, 'any') !== undefined ? text : undefined,
  );
}
