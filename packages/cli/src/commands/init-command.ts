import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { ShallotError } from '@shallot/core';
import {
  findPackage,
  manifestConfig,
  nearestPackage,
  ownPackages,
  pluginCandidates,
  shortName,
} from '@shallot/core/command';

import { askChoices, withDefaults, type InitAnswers, type InitFlags } from '../init/ask-choices.ts';
import { addressFault, modelFault, nameFault, needsOf, offline, variablesOf } from '../init/model-answer.ts';
import {
  agentName,
  configLanguages,
  ignoredFiles,
  starterFiles,
  type ConfigLanguage,
} from '../init/starter-files.ts';
import { isTemplateName, templates } from '../init/templates.ts';
import { changeLine } from '../project/change-lines.ts';
import { projectAround, type Project } from '../project/find-project.ts';
import { installVersions } from '../project/install-versions.ts';
import {
  makeChange,
  type ProjectChange,
  type ProjectChangeOptions,
  type Installing,
} from '../project/make-change.ts';
import { refuseManifest } from '../project/manifest-error.ts';
import { findPluginToAdd, type PluginToAdd } from '../project/plugin-to-add.ts';
import { entryToWrite } from '../project/proposed-entry.ts';
import { describeConfig, writeSchema } from '../project/schema-file.ts';
import { readTypedName } from '../project/typed-name.ts';
import type { Asking } from '../project/versions-of.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { calledAs } from '../terminal/called-as.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { canAsk, PromptLeft, terminalPrompts } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';

export interface InitCommandOptions extends Omit<ProjectChangeOptions, 'config'> {
  readonly template?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly plugin?: readonly string[];
  readonly language?: string;
  /** False: missing packages are listed, but not installed. */
  readonly install?: boolean;
}

/** `shallot init`: writes a first agent into the working directory, as one config without code. Overwrites nothing. */
export async function initCommand(options: InitCommandOptions, screen: Screen): Promise<number> {
  const directory = screen.io.cwd;
  const flags = readFlags(options);
  refuseConfigs(directory);
  const answers = await answersTo(flags, options, screen);
  if (answers === undefined) return exitStatus.failed;
  const fault = modelFault(answers.model);
  if (fault !== undefined) throw new CommandFailure(exitStatus.usage, fault);
  const project = projectAround(join(directory, `shallot.config.${answers.language}`));
  refuseManifest(project);
  return makeChange({ project, command: 'shallot init', options, screen }, (asking) =>
    planStart(answers, options, asking),
  );
}

function readFlags({ template, model, baseUrl: baseURL, plugin, language }: InitCommandOptions): InitFlags {
  if (template !== undefined && !isTemplateName(template)) {
    throw new CommandFailure(
      exitStatus.usage,
      `There is no template ${JSON.stringify(template)}. Write one of ${Object.keys(templates).join(', ')}.`,
    );
  }
  const fault =
    (model === undefined ? undefined : nameFault(model)) ??
    (baseURL === undefined ? undefined : addressFault(baseURL));
  if (fault !== undefined) throw new CommandFailure(exitStatus.usage, fault);
  if (language !== undefined && !isLanguage(language)) {
    throw new CommandFailure(
      exitStatus.usage,
      `--language is ${JSON.stringify(language)}; write ${configLanguages.join(', ')}.`,
    );
  }
  return {
    ...(template !== undefined && { template }),
    ...(model !== undefined && { model }),
    ...(baseURL !== undefined && { baseURL }),
    ...(plugin !== undefined && { plugins: plugin }),
    ...(language !== undefined && { language }),
  };
}

function isLanguage(text: string): text is ConfigLanguage {
  return configLanguages.some((language) => language === text);
}

async function answersTo(
  flags: InitFlags,
  { yes }: InitCommandOptions,
  screen: Screen,
): Promise<InitAnswers | undefined> {
  if (yes || !canAsk(screen.io)) return withDefaults(flags);
  const prompts = await terminalPrompts(screen.io, screen.broken);
  try {
    return await askChoices(flags, ownPackages.plugin.map(shortName), prompts);
  } catch (error) {
    if (error instanceof PromptLeft) return undefined;
    throw error;
  }
}

/** Rejects a directory that already has a config, since a second one would be ambiguous. */
function refuseConfigs(directory: string): void {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const isFile = (name: string): boolean => /^(?:shallot\.config\.|\.shallotrc)/.test(name);
  const isManifest = (name: string): boolean =>
    name === 'package.json' && manifestConfig(readFileSync(join(directory, name), 'utf8')) !== undefined;
  const found = names.find(isFile) ?? names.find(isManifest);
  if (found === undefined) return;
  const config = isManifest(found) ? 'The "shallot" of package.json' : found;
  throw new CommandFailure(
    exitStatus.usage,
    `${config} exists; init overwrites nothing. To change it: shallot add, shallot remove, or an editor.`,
  );
}

async function planStart(
  answers: InitAnswers,
  options: InitCommandOptions,
  asking: Asking,
): Promise<ProjectChange> {
  const { project, screen } = asking;
  const installs = options.install !== false;
  const template = templates[answers.template];
  const names = new Set([...template.plugins.map(({ use }) => use), ...answers.plugins]);
  const plugins: PluginToAdd[] = [];
  for (const name of names) {
    plugins.push(installs ? await findPluginToAdd(name, asking, false) : findWithoutRegistry(name, project));
  }
  const { language, model } = answers;
  const files = await starterFiles({
    name: agentName(screen.io.cwd),
    language,
    model,
    template,
    plugins: plugins.map((plugin) => entryToWrite(plugin, { isAsked: false, names: [] })),
  });
  const news = refuseExisting(files, project);
  const manifestFile = join(project.home, 'package.json');
  const isNew = !existsSync(manifestFile);
  const missing = missingPackages(answers, project);
  const shownPackages = [...missing, ...plugins.flatMap(({ install }) => install?.name ?? [])];
  return {
    files: news.map((path) => join(project.directory, path)),
    shown: [
      ...news.map((path) => changeLine(join(project.directory, path), '(new)', screen)),
      ...(isNew ? [changeLine(manifestFile, '(new)', screen)] : []),
      ...(installs ? shownPackages.map((name) => changeLine(manifestFile, `+ "${name}"`, screen)) : []),
    ],
    async make(installing) {
      if (isNew) writeNew(manifestFile, manifestText(project));
      if (installs) await installAll(missing, plugins, installing, project);
      // Writes the config last, because it refers to the other files.
      for (const path of news.toReversed()) writeNew(join(project.directory, path), files[path] ?? '');
      await describe(project, screen);
      const left = installs ? [] : [...missing, ...plugins.map(({ packageName }) => packageName)];
      await sayNext(answers, { missing: left, project, screen });
    },
  };
}

/** Returns the files to write. An existing `.gitignore` is kept; any other existing file is an error. */
function refuseExisting(files: Readonly<Record<string, string>>, { directory }: Project): string[] {
  const there = Object.keys(files).filter((path) => existsSync(join(directory, path)));
  const inTheWay = there.filter((path) => path !== '.gitignore');
  if (inTheWay.length > 0) {
    throw new CommandFailure(
      exitStatus.usage,
      `${inTheWay.join(', ')} would be overwritten. Move ${inTheWay.length === 1 ? 'it' : 'them'}, or use another folder.`,
    );
  }
  return Object.keys(files).filter((path) => !there.includes(path));
}

/** Returns the packages that the files import and the project lacks. */
function missingPackages({ model }: InitAnswers, { directory }: Project): string[] {
  const needs = needsOf(model.name);
  const ofModel = needs === undefined ? [] : ['@shallot/model-ai-sdk', needs.package];
  return ['@shallot/core', ...ofModel].filter((name) => findPackage(name, directory) === undefined);
}

async function installAll(
  missing: readonly string[],
  plugins: readonly PluginToAdd[],
  installing: Installing,
  project: Project,
): Promise<void> {
  // The project gets the version of the core that this command uses.
  const core = findPackage('@shallot/core', import.meta.dirname)?.manifest.version;
  const packages = missing.map((name) =>
    name === '@shallot/core' && typeof core === 'string' ? `${name}@^${core}` : name,
  );
  if (packages.length > 0) await installing.install(project.manager.add(packages));
  await installVersions(
    plugins.flatMap(({ install }) => install ?? []),
    installing,
    project,
  );
}

function writeNew(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  // Fails if the file was created meanwhile.
  writeFileSync(path, content, { flag: 'wx' });
}

function manifestText({ directory }: Project): string {
  const name =
    basename(directory)
      .toLowerCase()
      .replaceAll(/[^a-z0-9._~-]+/g, '-')
      .replace(/^[._-]+/, '') || 'agent';
  return `${JSON.stringify({ name, version: '0.0.0', private: true, type: 'module' }, null, 2)}\n`;
}

/** Reports parts that the new config lacks, and writes its schema. The files are kept in any case. */
async function describe({ config }: Project, screen: Screen): Promise<void> {
  const described = await describeConfig({ config }, screen);
  for (const warning of described.warnings) noteWarning(warning, screen);
  writeSchema(described);
}

async function sayNext(
  { template, model }: InitAnswers,
  { missing, project, screen }: { missing: readonly string[]; project: Project; screen: Screen },
): Promise<void> {
  const { manager, directory } = project;
  const ignored = readFileSync(join(directory, '.gitignore'), 'utf8').split(/\r?\n/);
  const unignored = ignoredFiles.filter(
    (line) => !ignored.includes(line) && !ignored.includes(line.replace('/', '')),
  );
  if (unignored.length > 0) screen.note(`Add to .gitignore: ${unignored.join(' ')}`);
  if (missing.length > 0) {
    screen.note(`Install what is missing: ${[manager.name, ...manager.add(missing)].join(' ')}`);
  }
  const needs = needsOf(model.name);
  const variables = needs === undefined ? [] : variablesOf(needs);
  if (variables.length > 0) {
    const them = variables.length === 1 ? 'it' : 'them';
    const lines = variables.map((name) => `${name}=…`).join(' and ');
    await screen.line(`\nSet ${variables.join(' and ')}, or write ${them} into .env: ${lines}`);
  }
  const { example } = templates[template];
  const question = model.name === offline ? example : 'Good morning';
  await screen.line(`\nTry it:  ${calledAs(screen.io.env)} run '${question}'`);
}

/**
 * Finds a plugin without asking a registry: one of ours, one that is installed, or a package with its full name. @throws
 * `PACKAGE_NOT_FOUND`
 */
function findWithoutRegistry(typed: string, { directory }: Project): PluginToAdd {
  const { name } = readTypedName(typed);
  const packageName =
    ownPackages.plugin.find((own) => shortName(own) === name || own === name) ??
    pluginCandidates(name).find((candidate) => findPackage(candidate, directory) !== undefined) ??
    (shortName(name) === name ? undefined : name);
  if (packageName !== undefined) return { packageName, use: shortName(packageName) };
  const near = nearestPackage(name, 'plugin', directory);
  const hint = near === undefined ? '' : ` Did you mean "${shortName(near)}"?`;
  throw new ShallotError('PACKAGE_NOT_FOUND', {
    message: `No plugin "${name}" is installed.${hint} Leave --no-install out to look for it in the registry, or write its full name, such as shallot-plugin-${name}.`,
  });
}
