import { realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { diagnose, loadPluginOptions, type LoadedPluginOptions } from '@shallot/core/command';
import { reasonOf, visible } from '@shallot/core/plugin';
import type * as AgentsCheck from '@shallot/plugin-subagents/check';

import { configLoading, type AgentCommandOptions } from '../asking/config-loading.ts';
import { toJson } from '../rendering/render-json.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { count } from '../terminal/count.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { shortPath } from '../terminal/place.ts';
import type { Screen } from '../terminal/screen.ts';
import { visibleLine } from '../terminal/visible.ts';
import { importPlugin } from '../work/import-plugin.ts';

export interface AgentsCheckOptions extends AgentCommandOptions {
  readonly json?: boolean;
}

type Checks = Pick<typeof AgentsCheck, 'checkAgents' | 'checkDefinitions'>;

/**
 * `shallot agents check`: prints each problem of the definitions in directories, or else of the config, on a line with its
 * location, for editors. Resolves to 1 if one is an error.
 */
export async function agentsCheckCommand(
  directories: readonly string[],
  { json = false, ...options }: AgentsCheckOptions,
  screen: Screen,
): Promise<number> {
  const reports =
    directories.length > 0 ? await checkDirectories(directories, screen) : await checkConfig(options, screen);
  const checked = reports.reduce((sum, report) => sum + report.checked, 0);
  const problems = reports.flatMap((report) => report.problems);
  const hasErrors = problems.some(({ level }) => level === 'error');
  if (json) await screen.line(toJson({ checked, problems }, { indent: 2 }));
  else await showProblems(problems, checked, screen);
  return hasErrors ? exitStatus.failed : exitStatus.completed;
}

async function checkDirectories(
  directories: readonly string[],
  screen: Screen,
): Promise<AgentsCheck.AgentReport[]> {
  const { cwd } = screen.io;
  const roots = directories.map((typed) => realDirectory(resolve(cwd, typed), typed));
  const { checkDefinitions } = await importChecks(cwd);
  // Imported lazily, because this file is bundled with code of other commands.
  const { diskFiles } = await import('@shallot/core/files');
  return Promise.all(roots.map(async (root) => shown(await checkDefinitions(diskFiles(root), ['/']), cwd)));
}

async function checkConfig(options: AgentCommandOptions, screen: Screen): Promise<AgentsCheck.AgentReport[]> {
  const loading = configLoading(options, screen);
  const loaded = await loadPluginOptions('subagents', loading).catch((cause: unknown) => {
    throw new CommandFailure(exitStatus.usage, { cause });
  });
  const { entries, files, path } = loaded;
  try {
    if (entries.length === 0)
      throw new CommandFailure(
        exitStatus.usage,
        `${visible(path)} has no plugin "subagents". Name directories instead: shallot agents check <directory>`,
      );
    const { checkAgents } = await importChecks(dirname(path));
    const tools = await toolsOf(loaded, loading, screen);
    const reports: AgentsCheck.AgentReport[] = [];
    for (const { options: given, locate, resolveModel } of entries) {
      const report = await checkAgents(files, {
        options: given,
        locate: (inner) => locate(['options', ...inner]),
        resolveModel,
        ...(tools !== undefined && { tools }),
      });
      reports.push(shown(report, screen.io.cwd));
    }
    return reports;
  } finally {
    await files.close?.();
  }
}

/**
 * Returns the names of all tools. If anything but the checked plugin keeps the agent from starting, notes that and
 * returns undefined.
 */
async function toolsOf(
  { entries, path }: LoadedPluginOptions,
  loading: Parameters<typeof diagnose>[0],
  screen: Screen,
): Promise<readonly string[] | undefined> {
  const { errors, tools } = await diagnose({ ...loading, path });
  const other = errors.find(({ plugin }) => entries.every(({ id }) => id !== plugin));
  if (other === undefined) return tools.map(({ tool }) => tool.name);
  screen.note(
    `The names of tools are not checked, because the agent does not start: ${visibleLine(reasonOf(other))} See: shallot doctor`,
  );
  return undefined;
}

function importChecks(directory: string): Promise<Checks> {
  return importPlugin<typeof AgentsCheck, keyof Checks>({
    entry: '@shallot/plugin-subagents/check',
    functions: ['checkAgents', 'checkDefinitions'],
    command: 'shallot agents check',
    directory,
  });
}

/** Returns the report with paths relative to the working directory. */
function shown({ checked, problems }: AgentsCheck.AgentReport, cwd: string): AgentsCheck.AgentReport {
  return {
    checked,
    problems: problems.map(({ path, line, column, level, message }) => ({
      path: visible(shortPath(path, cwd)),
      line,
      column,
      level,
      message,
    })),
  };
}

async function showProblems(
  problems: readonly AgentsCheck.AgentProblem[],
  checked: number,
  screen: Screen,
): Promise<void> {
  const { paint } = screen;
  for (const { path, line, column, level, message } of problems) {
    const colour = level === 'error' ? paint.red : paint.yellow;
    await screen.line(`${paint.bold(`${path}:${line}:${column}:`)} ${colour(level)} ${visibleLine(message)}`);
  }
  screen.note(`${count(checked, 'agent')} checked, ${count(problems.length, 'problem')}`);
}

function realDirectory(path: string, typed: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new CommandFailure(
      exitStatus.usage,
      `The directory ${visible(typed)} cannot be read: ${reasonOf(error)}.`,
    );
  }
  throw new CommandFailure(exitStatus.usage, `${visible(typed)} is not a directory.`);
}
