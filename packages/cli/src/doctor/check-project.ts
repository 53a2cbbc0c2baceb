import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { DiagnosedPlugin, Diagnosis } from '@shallot/core/config';

import type { Project } from '../project/find-project.ts';
import { listedPlugins } from '../project/listed-plugins.ts';
import { unfinishedChange } from '../project/open-change.ts';
import { findingsOf, type Finding } from './finding.ts';

/** What is odd about a project beside what loading its config finds. Imports nothing. */
export function checkProject(project: Project, diagnosis: Diagnosis): Finding[] {
  return [
    ...cutOff(project),
    ...skippedConfigs(project),
    ...diagnosis.plugins.flatMap((plugin) => [...secondCore(plugin, project), ...openRange(plugin, project)]),
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

/** Files that somebody may take for the config. */
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

function secondCore({ name, package: installed }: DiagnosedPlugin, { tools, directory }: Project): Finding[] {
  const ours = tools.findPackage('@shallot/core', directory);
  const theirs = installed && tools.findPackage('@shallot/core', installed.directory);
  if (ours === undefined || theirs === undefined || ours.directory === theirs.directory) return [];
  return findingsOf('warning', {
    code: 'CORE_DUPLICATE',
    message: `${installed?.name} brings its own @shallot/core ${String(theirs.manifest.version)} (${theirs.directory}); the project has ${String(ours.manifest.version)} (${ours.directory}).`,
    plugin: name,
  });
}

/** A major that nobody has seen yet. */
const farAway = '9999.0.0';

function openRange({ name, package: installed }: DiagnosedPlugin, { tools }: Project): Finding[] {
  const api = installed && tools.pluginManifest(installed.manifest).api;
  if (installed === undefined || api === undefined || !tools.isInRange(farAway, api)) return [];
  return findingsOf('warning', {
    code: 'PLUGIN_API_OPEN',
    message: `The "shallot.api" of ${installed.name} ${String(installed.manifest.version)} is "${api}", which has no upper bound.`,
    plugin: name,
    at: { file: join(installed.directory, 'package.json') },
  });
}

function unusedPlugins(project: Project, { listed }: Diagnosis): Finding[] {
  const { tools } = project;
  const used = new Set(listed.flatMap((name) => tools.pluginCandidates(name)));
  return listedPlugins(project)
    .filter(({ name }) => !used.has(name))
    .flatMap(({ name }) =>
      findingsOf('warning', {
        code: 'PLUGIN_UNUSED',
        message: `${name} is installed, but the config does not list it. To list it: shallot add ${tools.shortName(name)}; to uninstall it: shallot remove ${tools.shortName(name)}`,
        plugin: tools.shortName(name),
        at: { file: join(project.home, 'package.json') },
      }),
    );
}

function unapprovedTools({ tools }: Diagnosis): Finding[] {
  return tools
    .filter(({ tool, askedBy }) => (tool.effect ?? 'write') === 'write' && askedBy.length === 0)
    .flatMap(({ tool }) =>
      findingsOf('warning', {
        code: 'TOOL_UNAPPROVED',
        message: `The tool "${tool.name}" can change things, and no plugin asks a person before it is executed.`,
      }),
    );
}
