import { spawn } from 'node:child_process';

import { ShallotError, type ErrorCode } from '@shallot/core';

import type { Screen } from '../terminal/screen.ts';
import type { Project } from './find-project.ts';

/** What a call of a package manager is for, and how long it may take. */
export interface ManagerCall {
  readonly args: readonly string[];
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The code of a failure to start it, or to end in time. */
  readonly code: ErrorCode;
}

export interface ManagerResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How long a package manager that is to stop may take, before it is ended. */
const graceMs = 3000;

/**
 * Calls the package manager of a project, in a process group of its own, so that nothing of it is left when it has to
 * stop. Rejects with the signal's reason when that is aborted, once the group has ended.
 */
export async function runManager(
  { home, manager }: Project,
  { args, signal, timeoutMs, code }: ManagerCall,
  { io }: Screen,
): Promise<ManagerResult> {
  signal.throwIfAborted();
  const child = spawn(manager.name, args, {
    cwd: home,
    env: { ...io.env, ...manager.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on('error', reject);
  child.on('close', (status) => resolve(status ?? 1));
  let isLate = false;
  let ending: NodeJS.Timeout | undefined;
  const end = (): void => {
    signalGroup(child.pid, 'SIGTERM');
    ending = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutMs);
  const kill = (): void => signalGroup(child.pid, 'SIGKILL');
  signal.addEventListener('abort', end);
  // Before whoever puts files back that it might still write.
  process.prependListener('exit', kill);
  const shown = `${manager.name} ${args.join(' ')}`;
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
    clearTimeout(timer);
    clearTimeout(ending);
    signal.removeEventListener('abort', end);
    process.off('exit', kill);
  }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
