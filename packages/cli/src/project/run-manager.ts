import { ShallotError, type ErrorCode } from '@shallot/core';

import { WorkLine } from '../rendering/work-line.ts';
import type { Screen } from '../terminal/screen.ts';
import { endTree } from './end-tree.ts';
import type { Project } from './find-project.ts';
import { ownTree } from './own-tree.ts';

/** The purpose of a package manager call, and its time limit. */
export interface ManagerCall {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The error code for a failed start or a timeout. */
  readonly code: ErrorCode;
}

export interface ManagerResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * npm and pnpm wait 10 s and then a minute before they ask a registry again. Without a network, nothing would be
 * reported for that long.
 */
const retries = Object.fromEntries(
  ['npm', 'pnpm'].flatMap((name) => [
    [`${name}_config_fetch_retry_mintimeout`, '1000'],
    [`${name}_config_fetch_retry_maxtimeout`, '3000'],
  ]),
);

/** The time for a package manager to stop before it is killed, in milliseconds. */
const graceMs = 3000;

/**
 * Calls the package manager of a project in its own process group, so that nothing is left running when it is stopped.
 * On an abort, rejects with the signal's reason once the group has ended.
 */
export async function runManager(
  { home, manager }: Project,
  { args, signal, timeoutMs, code }: ManagerCall,
  screen: Screen,
): Promise<ManagerResult> {
  const { io } = screen;
  const { default: spawn } = await import('cross-spawn');
  signal.throwIfAborted();
  const child = spawn(manager.name, args, {
    cwd: home,
    env: { ...retries, ...io.env, ...manager.env },
    ...ownTree(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on('error', reject);
  child.on('close', (status) => resolve(status ?? 1));
  let isLate = false;
  let ending: NodeJS.Timeout | undefined;
  const end = (): void => {
    endTree(child.pid, 'SIGTERM');
    ending = setTimeout(() => endTree(child.pid, 'SIGKILL'), graceMs);
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMs);
  const kill = (): void => endTree(child.pid, 'SIGKILL');
  signal.addEventListener('abort', end);
  // Kills the package manager before another listener restores files, which it could otherwise still change.
  process.prependListener('exit', kill);
  const shown = `${manager.name} ${args.join(' ')}`;
  const working = new WorkLine(screen, shown);
  working.heard();
  try {
    const status = await promise;
    signal.throwIfAborted();
    if (isLate) {
      const message = `"${shown}" did not end within ${timeoutMs / 1000} s. Check the network, or allow more with --timeout.`;
      throw new ShallotError(code, { message });
    }
    return { status, stdout, stderr };
  } catch (cause) {
    if (cause === signal.reason || cause instanceof ShallotError) throw cause;
    const message = `${manager.name} cannot be run: ${reason(cause)}. It is the package manager of ${home}; install it.`;
    throw new ShallotError(code, { message, cause });
  } finally {
    working.end();
    clearTimeout(timer);
    clearTimeout(ending);
    signal.removeEventListener('abort', end);
    process.off('exit', kill);
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
