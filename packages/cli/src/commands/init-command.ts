import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { loadProjectTools, type ProjectTools } from '@shallot/core/config';

import {
  askChoices,
  modelFault,
  offline,
  withDefaults,
  type InitAnswers,
  type InitFlags,
} from '../init/ask-choices.ts';
import { configLanguages, ignoredFiles, starterFiles, type ConfigLanguage } from '../init/starter-files.ts';
import { changeLine } from '../project/change-lines.ts';
import { projectAround, type Project } from '../project/find-project.ts';
import { installVersions } from '../project/install-versions.ts';
import { makeChange, type Change, type ChangeOptions, type Installing } from '../project/make-change.ts';
import { findPluginToAdd, type PluginToAdd } from '../project/plugin-to-add.ts';
import { describeConfig, writeSchema } from '../project/schema-file.ts';
import type { Asking } from '../project/versions-of.ts';
import { noteWarning } from '../rendering/note-failure.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { canAsk, PromptLeft, terminalPrompts } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';

export interface InitCommandOptions extends Omit<ChangeOptions, 'config'> {
  readonly model?: string;
  readonly plugin?: readonly string[];
  readonly language?: string;
  /** False: what is missing is named, and not installed. */
  readonly install?: boolean;
}

/** `shallot init`: writes a first agent into the working directory: config, model, tool. Overwrites nothing. */
export async function initCommand(options: InitCommandOptions, screen: Screen): Promise<number> {
  const directory = screen.io.cwd;
  const flags = readFlags(options);
  refuseConfigs(directory);
  const tools = await loadProjectTools();
  const answers = await answersTo(flags, options, tools, screen);
  if (answers === undefined) return exitStatus.failed;
  const project = projectAround(join(directory, `shallot.config.${answers.language}`), tools);
  return makeChange({ project, command: 'shallot init', options, screen }, (asking) =>
    planStart(answers, options, asking),
  );
}

function readFlags({ model, plugin, language }: InitCommandOptions): InitFlags {
  const fault = model === undefined ? undefined : modelFault(model);
  if (fault !== undefined) throw new CommandFailure(exitStatus.usage, fault);
  if (language !== undefined && !isLanguage(language)) {
    throw new CommandFailure(
      exitStatus.usage,
      `--language is ${JSON.stringify(language)}; write ${configLanguages.join(', ')}.`,
    );
  }
  return {
    ...(model !== undefined && { model }),
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
  tools: ProjectTools,
  screen: Screen,
): Promise<InitAnswers | undefined> {
  if (yes || !canAsk(screen.io)) return withDefaults(flags);
  const prompts = await terminalPrompts(screen.io, screen.broken);
  try {
    return await askChoices(flags, tools.ownPackages.plugin.map(tools.shortName), prompts);
  } catch (error) {
    if (error instanceof PromptLeft) return undefined;
    throw error;
  }
}

/** An agent has one config: a second one would be ambiguous. */
function refuseConfigs(directory: string): void {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const config = names.find((name) => /^(?:shallot\.config\.|\.shallotrc)/.test(name));
  if (config === undefined) return;
  throw new CommandFailure(
    exitStatus.usage,
    `${config} exists; init overwrites nothing. To change it: shallot add, shallot remove, or an editor.`,
  );
}

async function planStart(answers: InitAnswers, options: InitCommandOptions, asking: Asking): Promise<Change> {
  const { project, screen } = asking;
  const installs = options.install !== false;
  const plugins: PluginToAdd[] = [];
  for (const name of answers.plugins) {
    plugins.push(installs ? await findPluginToAdd(name, asking, false) : { packageName: name, use: name });
  }
  const [provider = ''] = answers.model.split('/', 1);
  const model = answers.model === offline ? undefined : answers.model;
  const files = starterFiles({
    language: answers.language,
    model,
    key: model === undefined ? undefined : project.tools.providerNeeds[provider]?.key,
    plugins: plugins.map(({ use }) => use),
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
      // The config last: it names the others.
      for (const path of news.toReversed()) writeNew(join(project.directory, path), files[path] ?? '');
      await describe(project, screen);
      await sayNext(answers, { missing: installs ? [] : missing, options, project, screen });
    },
  };
}

/** The files to write; one that exists stays, and but for `.gitignore` nothing is begun then. */
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

/** What the files import and the project cannot find. */
function missingPackages({ model }: InitAnswers, { tools, directory }: Project): string[] {
  const [provider = ''] = model.split('/', 1);
  const needed =
    model === offline
      ? ['@shallot/core']
      : ['@shallot/core', '@shallot/model-ai-sdk', tools.providerNeeds[provider]?.package];
  return needed.flatMap((name) =>
    name === undefined || tools.findPackage(name, directory) !== undefined ? [] : [name],
  );
}

async function installAll(
  missing: readonly string[],
  plugins: readonly PluginToAdd[],
  installing: Installing,
  project: Project,
): Promise<void> {
  // The core that the command has.
  const core = project.tools.findPackage('@shallot/core', import.meta.dirname)?.manifest.version;
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
  // Fails if the file has come about since it was looked for.
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

/** What is missing for it is said, and the files are there all the same. */
async function describe({ config }: Project, screen: Screen): Promise<void> {
  const described = await describeConfig({ config }, screen);
  for (const warning of described.warnings) noteWarning(warning, screen);
  writeSchema(described);
}

async function sayNext(
  { model }: InitAnswers,
  {
    missing,
    options,
    project,
    screen,
  }: { missing: readonly string[]; options: InitCommandOptions; project: Project; screen: Screen },
): Promise<void> {
  const { manager, tools, directory } = project;
  const [provider = ''] = model.split('/', 1);
  const key = tools.providerNeeds[provider]?.key;
  const ignored = readFileSync(join(directory, '.gitignore'), 'utf8').split(/\r?\n/);
  const unignored = ignoredFiles.filter(
    (line) => !ignored.includes(line) && !ignored.includes(line.replace('/', '')),
  );
  if (unignored.length > 0) screen.note(`Add to .gitignore: ${unignored.join(' ')}`);
  const packages = [...missing, ...(options.install === false ? (options.plugin ?? []) : [])];
  if (packages.length > 0) {
    screen.note(`Install what is missing: ${[manager.name, ...manager.add(packages)].join(' ')}`);
  }
  await screen.line('\nTry it:  shallot run "How many words has this question?"');
  if (model !== offline && key !== undefined) {
    await screen.line(`It answers offline. For ${model}, set ${key}, or write it into .env: ${key}=…`);
  }
}
