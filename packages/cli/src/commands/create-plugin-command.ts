import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { findPackage, ownPackages, shortName } from '@shallot/core/command';
import { hookNames, nearest, type HookName } from '@shallot/core/plugin';

import { pluginFiles } from '../create-plugin/plugin-files.ts';
import { pluginNames, type NewPluginNames } from '../create-plugin/plugin-names.ts';
import { oldestApi, type PluginChoices } from '../create-plugin/plugin-source.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { shortPath } from '../terminal/place.ts';
import { canAsk, PromptLeft, terminalPrompts } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';
import { shellWord } from '../terminal/shell-word.ts';

export interface CreatePluginOptions {
  readonly hook?: readonly string[];
  readonly state?: boolean;
  readonly manager?: string;
  readonly directory?: string;
  readonly description?: string;
  readonly author?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** `shallot create-plugin NAME`: writes a plugin as a repository of its own into a new or empty folder. */
export async function createPluginCommand(
  name: string,
  options: CreatePluginOptions,
  screen: Screen,
): Promise<number> {
  const names = pluginNames(name, ownPackages.plugin.map(shortName));
  if ('fault' in names) throw new CommandFailure(exitStatus.usage, names.fault);
  const folder = resolve(screen.io.cwd, options.directory ?? names.packageName.replace(/^.*\//, ''));
  refuseFull(folder, screen.io.cwd);
  const chosen = await choose(options, screen);
  if (chosen === undefined) return exitStatus.failed;
  const choices: PluginChoices = { names, ...chosen, ...surroundings(options, names, screen) };
  const files = pluginFiles(choices);
  if (options.dryRun !== true) writeAll(folder, files);
  const shown = relative(screen.io.cwd, folder) || '.';
  for (const path of Object.keys(files)) await screen.line(`${join(shown, path)} (new)`);
  const enter = shown === '.' ? '' : `cd ${shellWord(shown)} && `;
  await screen.line(`\nTry it:  ${enter}${choices.manager} install && ${choices.manager} test`);
  return exitStatus.completed;
}

/** Rejects a folder with files, which are never overwritten; a `.git` folder is allowed. */
function refuseFull(folder: string, cwd: string): void {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  const there = isFolder === true ? readdirSync(folder).filter((name) => name !== '.git') : [];
  if (isFolder !== false && there.length === 0) return;
  const fault = isFolder === false ? 'a folder' : `empty (${there.slice(0, 3).join(', ')})`;
  throw new CommandFailure(
    exitStatus.usage,
    `${shortPath(folder, cwd)} is not ${fault}; nothing is overwritten. Name another folder with --directory.`,
  );
}

async function choose(
  { hook, state, yes = false }: CreatePluginOptions,
  screen: Screen,
): Promise<Pick<PluginChoices, 'hooks' | 'state'> | undefined> {
  const given = hook?.map(hookNamed);
  if (yes || !canAsk(screen.io) || (given !== undefined && state !== undefined)) {
    return { hooks: inOrder(given ?? ['wrapToolCall']), state: state ?? false };
  }
  const prompts = await terminalPrompts(screen.io, screen.broken);
  try {
    const hooks =
      given ??
      (await prompts.chooseSeveral(
        'Which hooks?',
        hookNames.map((value) => ({ value, label: value })),
      ));
    const keeps =
      state ??
      (await prompts.choose('Does it remember anything in the session?', [
        { value: 'no', label: 'No' },
        { value: 'yes', label: 'Yes', hint: 'state' },
      ])) === 'yes';
    return { hooks: inOrder(hooks.length === 0 ? ['wrapToolCall'] : hooks), state: keeps };
  } catch (error) {
    if (error instanceof PromptLeft) return undefined;
    throw error;
  }
}

function hookNamed(text: string): HookName {
  const found = hookNames.find((name) => name === text);
  if (found !== undefined) return found;
  const like = nearest(text, hookNames);
  const advice = like === undefined ? `write ${hookNames.join(', ')}` : `did you mean ${like}?`;
  throw new CommandFailure(exitStatus.usage, `--hook is ${JSON.stringify(text)}; ${advice}`);
}

/** Returns the hooks once each, in the order of a run. */
function inOrder(hooks: readonly HookName[]): HookName[] {
  return hookNames.filter((name) => hooks.includes(name));
}

function surroundings(
  { manager, description, author = '' }: CreatePluginOptions,
  { plugin }: NewPluginNames,
  { io }: Screen,
): Pick<PluginChoices, 'manager' | 'description' | 'author' | 'year' | 'core' | 'api'> {
  if (manager !== undefined && manager !== 'npm' && manager !== 'pnpm') {
    throw new CommandFailure(exitStatus.usage, `--manager is ${JSON.stringify(manager)}; write npm or pnpm.`);
  }
  // Uses the caller's package manager.
  const caller = io.env['npm_config_user_agent']?.startsWith('pnpm/') === true ? 'pnpm' : 'npm';
  const core = findPackage('@shallot/core', import.meta.dirname)?.manifest.version;
  return {
    manager: manager ?? caller,
    description: oneLine(description ?? `A plugin for Shallot agents: ${plugin}.`),
    author: oneLine(author),
    year: new Date().getFullYear(),
    core: typeof core === 'string' ? core : '0.1.0',
    api: oldestApi,
  };
}

/** Returns a text safe for comments and JSON. */
function oneLine(text: string): string {
  return text.replaceAll('*/', '* /').replaceAll(/\s+/g, ' ').trim();
}

/** Writes all files or none. A new folder is written under a temporary name, and then renamed. */
function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  const isThere = existsSync(folder);
  // Files in an existing folder, such as .git, are kept.
  const target = isThere ? folder : `${folder}.creating-${process.pid}`;
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(target, path)), { recursive: true });
      writeFileSync(join(target, path), content, { flag: 'wx' });
    }
    if (!isThere) renameSync(target, folder);
  } catch (error) {
    if (isThere) for (const path of Object.keys(files)) rmSync(join(folder, path), { force: true });
    else rmSync(target, { recursive: true, force: true });
    throw error;
  }
}
