import { join } from 'node:path';

import { isShallotError, ShallotError } from '@shallot/core';
import { messageOf } from '@shallot/core/plugin';

import { terminalAsker } from '../asking/terminal-asker.ts';
import { CommandFailure } from '../terminal/command-failure.ts';
import { exitStatus } from '../terminal/exit-status.ts';
import { canAsk, PromptLeft } from '../terminal/prompts.ts';
import type { Screen } from '../terminal/screen.ts';
import { watchStopSignals } from '../terminal/stop-signals.ts';
import type { Project } from './find-project.ts';
import { openChange, restoreUnfinished, type OpenChange } from './open-change.ts';
import { runManager } from './run-manager.ts';
import { schemaFile } from './schema-file.ts';
import { lastWords, type Asking } from './versions-of.ts';

/** The options of commands that change a project. */
export interface ProjectChangeOptions {
  readonly config?: string;
  /** Makes the change without asking. */
  readonly yes?: boolean;
  /** Shows the change without making it. */
  readonly dryRun?: boolean;
  /** The time limit for each call of the package manager, in seconds, as typed. */
  readonly timeout?: string;
}

/** A change of a project: its description, and the function that makes it. */
export interface ProjectChange {
  /** A line per change; if there is none, nothing is made. */
  readonly shown: readonly string[];
  /** Files that the change creates or replaces, besides those of the project. */
  readonly files?: readonly string[];
  readonly make: (installing: Installing) => Promise<void>;
  /** Checks the result of the change, which stays in any case. Returns the exit status. */
  readonly check?: () => Promise<number>;
}

/** The tools for making a change. */
export interface Installing {
  /** Calls the package manager. @throws `INSTALL_FAILED` with its message */
  readonly install: (args: readonly string[]) => Promise<void>;
}

/**
 * Restores the files of an earlier change that was cut off. Then plans a change of a project, shows it, asks for
 * confirmation if a person can answer, and makes it completely or not at all: if it fails or is stopped, or the process
 * ends, the manifest, lock file and config are restored. Returns the exit status.
 */
export async function makeChange(
  { project, command, options, screen }: MakingOf,
  plan: (asking: Asking) => Promise<ProjectChange | undefined>,
): Promise<number> {
  const restored = restoreUnfinished(project.directory);
  if (restored !== undefined) {
    screen.note(`Restored the files of "${restored}", which was cut off.`);
  }
  const stop = watchStopSignals(() => screen.note('Stopping …'));
  const asking: Asking = {
    project,
    screen,
    signal: AbortSignal.any([stop.signal, screen.broken]),
    timeoutMs: readTimeout(options.timeout),
  };
  let made = false;
  try {
    const change = await plan(asking);
    if (change === undefined || change.shown.length === 0) return exitStatus.completed;
    for (const line of change.shown) await screen.line(line);
    if (options.dryRun || !(await isWanted(options, asking))) return exitStatus.completed;
    await carryOut(change, command, asking);
    made = true;
    return (await change.check?.()) ?? exitStatus.completed;
  } catch (error) {
    if (error instanceof PromptLeft) return exitStatus.failed;
    if (stop.status === undefined || error !== asking.signal.reason) throw error;
    screen.note(made ? 'Stopped: the change is made.' : 'Stopped: nothing was changed.');
    return stop.status;
  } finally {
    stop.end();
  }
}

interface MakingOf {
  readonly project: Project;
  /** The command as typed. */
  readonly command: string;
  readonly options: ProjectChangeOptions;
  readonly screen: Screen;
}

async function isWanted({ yes }: ProjectChangeOptions, { screen, signal }: Asking): Promise<boolean> {
  if (yes || !canAsk(screen.io)) return true;
  const answer = await terminalAsker(
    screen,
    signal,
  )((prompts) =>
    prompts.choose('Make this change?', [
      { value: 'yes', label: 'Yes' },
      { value: 'no', label: 'No' },
    ]),
  );
  return answer === 'yes';
}

async function carryOut(change: ProjectChange, command: string, asking: Asking): Promise<void> {
  const { project, screen, signal, timeoutMs } = asking;
  const open = begin(project, command, change.files ?? []);
  try {
    await change.make({
      install: async (args) => {
        const result = await runManager(project, { args, signal, timeoutMs, code: 'INSTALL_FAILED' }, screen);
        if (result.status === 0) return;
        throw new ShallotError('INSTALL_FAILED', {
          message: `"${project.manager.name} ${args.join(' ')}" failed: ${lastWords(result)} The project is as it was.`,
        });
      },
    });
    // A signal until here undoes the whole change; after it, the change is complete.
    signal.throwIfAborted();
    open.end();
  } catch (error) {
    open.restore();
    if (isShallotError(error) || error === signal.reason) throw error;
    throw failedChange(error, project.directory);
  }
}

function begin(project: Project, command: string, more: readonly string[]): OpenChange {
  const files = [...new Set([...project.files, ...more, join(project.directory, schemaFile)])];
  try {
    return openChange(project.directory, command, files);
  } catch (error) {
    throw isShallotError(error) ? error : failedChange(error, project.directory);
  }
}

/** The system's error codes for a place where one may not write. */
const unwritable: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM', 'EROFS']);

function failedChange(cause: unknown, directory: string): ShallotError {
  const { code, path: file = directory } = (cause ?? {}) as NodeJS.ErrnoException;
  if (unwritable.has(code)) {
    const message = `The change could not be made: ${file} cannot be written (${code}). The project is as it was. Make it writable for you, or run the command in another directory.`;
    return new ShallotError('CHANGE_FAILED', { message, at: { file }, cause });
  }
  const message = `The change could not be made: ${messageOf(cause)}. The project is as it was.`;
  return new ShallotError('CHANGE_FAILED', { message, cause });
}

function readTimeout(typed = '120'): number {
  const seconds = Number(typed);
  if (seconds > 0 && seconds <= 3600) return seconds * 1000;
  throw new CommandFailure(
    exitStatus.usage,
    `--timeout is ${JSON.stringify(typed)}; write a number of seconds, up to 3600.`,
  );
}
