import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import {
  findPackage,
  isInRange,
  pluginCandidates,
  pluginManifest,
  shortName,
  type DiagnosedPlugin,
  type Diagnosis,
} from '@shallot/core/command';

import type { Project } from '../project/find-project.ts';
import { listedPlugins } from '../project/listed-plugins.ts';
import { manifestError } from '../project/manifest-error.ts';
import { unfinishedChange } from '../project/open-change.ts';
import { findingsOf, type Finding } from './finding.ts';

/** Finds problems of a project that loading its config does not report. Imports nothing. */
export function checkProject(project: Project, diagnosis: Diagnosis): Finding[] {
  return [
    ...cutOff(project),
    ...brokenManifest(project),
    ...skippedConfigs(project),
    ...coreOfCommand(project),
    ...diagnosis.plugins.flatMap((plugin) => [...secondCore(plugin, project), ...openRange(plugin)]),
    ...unusedPlugins(project, diagnosis),
    ...unapprovedTools(diagnosis),
  ];
}

function cutOff({ directory }: Project): Finding[] {
  const change = unfinishedChange(directory);
  if (change === undefined) return [];
  return findingsOf('error', {
    code: 'CHANGE_UNFINISHED',
    message: `"${change.command}" was cut off: package.json, the lock file and the config may not belong together. Run it again.`,
    at: { file: change.file },
  });
}

function brokenManifest(project: Project): Finding[] {
  const error = manifestError(project);
  return error === undefined ? [] : findingsOf('warning', error);
}

/** Finds files that may be mistaken for the config. */
function skippedConfigs({ config }: Project): Finding[] {
  const directory = dirname(config);
  return readdirSync(directory)
    .filter((name) => /^\.?shallot(?:\.config|rc)?\.(?:ya?ml|json|jsonc|toml|cjs|cts)$/i.test(name))
    .filter((name) => join(directory, name) !== config)
    .flatMap((name) =>
      findingsOf('warning', {
        code: 'CONFIG_SKIPPED',
        message: `${name} is not read: the config is ${config}.`,
        at: { file: join(directory, name) },
      }),
    );
}

function secondCore({ name, package: installed }: DiagnosedPlugin, { directory }: Project): Finding[] {
  const ours = findPackage('@shallot/core', directory);
  const theirs = installed && findPackage('@shallot/core', installed.directory);
  if (ours === undefined || theirs === undefined || ours.directory === theirs.directory) return [];
  return findingsOf('warning', {
    code: 'CORE_DUPLICATE',
    message: `${installed?.name} brings its own @shallot/core ${String(theirs.manifest.version)} (${theirs.directory}); the project has ${String(ours.manifest.version)} (${ours.directory}).`,
    plugin: name,
    at: { file: join(theirs.directory, 'package.json') },
  });
}

/** Finds out if this command uses another core than the project, and so may judge plugins by another version. */
export function coreOfCommand({ directory }: Project, own: string = import.meta.dirname): Finding[] {
  const [ours, theirs] = [findPackage('@shallot/core', directory), findPackage('@shallot/core', own)];
  if (ours === undefined || theirs === undefined || ours.directory === theirs.directory) return [];
  if (ours.manifest.version === theirs.manifest.version) return [];
  return findingsOf('warning', {
    code: 'CORE_DUPLICATE',
    message: `The command uses @shallot/core ${String(theirs.manifest.version)} (${theirs.directory}); the project has ${String(ours.manifest.version)} (${ours.directory}). To raise the command: shallot upgrade shallot, or install it in the project.`,
    at: { file: join(theirs.directory, 'package.json') },
  });
}

/** A major version that does not exist yet. */
const farAway = '9999.0.0';

function openRange({ name, package: installed }: DiagnosedPlugin): Finding[] {
  const api = installed && pluginManifest(installed.manifest).api;
  if (installed === undefined || api === undefined || !isInRange(farAway, api)) return [];
  return findingsOf('warning', {
    code: 'PLUGIN_API_OPEN',
    message: `The "shallot.api" of ${installed.name} ${String(installed.manifest.version)} is "${api}", which has no upper bound.`,
    plugin: name,
    at: { file: join(installed.directory, 'package.json') },
  });
}

function unusedPlugins(project: Project, { listed }: Diagnosis): Finding[] {
  // The config cannot be read, so nothing is known of its list.
  if (listed === undefined) return [];
  const used = new Set(listed.flatMap((name) => pluginCandidates(name)));
  return listedPlugins(project)
    .filter(({ name }) => !used.has(name))
    .flatMap(({ name }) =>
      findingsOf('warning', {
        code: 'PLUGIN_UNUSED',
        message: `${name} is installed, but the config does not list it. To list it: shallot add ${shortName(name)}; to uninstall it: shallot remove ${shortName(name)}`,
        plugin: shortName(name),
        at: { file: join(project.home, 'package.json') },
      }),
    );
}

/**
 * Returns a finding for each plugin with tools that can change things without a question, and one for such tools of the
 * config; none if a plugin failed.
 */
function unapprovedTools({ tools, plugins }: Diagnosis): Finding[] {
  // A plugin that failed may be the one that would ask.
  if (plugins.some(({ stage }) => stage !== 'ready')) return [];
  const unasked = tools.filter(
    // A tool that only starts subagents changes nothing by itself, and their calls are asked about one by one.
    ({ tool, askedBy }) =>
      (tool.effect ?? 'write') !== 'read' && tool.background === undefined && askedBy.length === 0,
  );
  const byPlugin = Map.groupBy(unasked, ({ plugin }) => plugin);
  return [...byPlugin].flatMap(([plugin, own]) => {
    const [{ at } = {}] = own;
    const names = own.map(({ tool }) => `"${tool.name}"`).join(', ');
    const which = own.length === 1 ? `The tool ${names}` : `The tools ${names}`;
    const message = `${which} can change things, and no plugin asks a person before a call is executed.`;
    return findingsOf('warning', { code: 'TOOL_UNAPPROVED', message, plugin, at });
  });
}
