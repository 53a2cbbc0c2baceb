import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

import { BoundedOutput } from './bounded-output.ts';

/** The time between TERM and KILL for a command that is ended. */
const graceMs = 500;
/** The wait for output that a process outside of the group may hold open. */
const drainMs = 200;

/** The end of a command: its exit status, or the reason why it has none. */
export type CommandEnd = { readonly stdout: BoundedOutput; readonly stderr: string } & (
  | { readonly status: number }
  | { readonly problem: string }
);

interface CommandSetting {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input: string;
  readonly timeoutMs: number;
  /** Ends the command. */
  readonly signal: AbortSignal;
}

/**
 * Runs a line of the shell in a process group of its own, and ends what is left of the group with it. Rejects only if it
 * is aborted.
 */
export async function runCommand(line: string, setting: CommandSetting): Promise<CommandEnd> {
  const { cwd, env, input, timeoutMs, signal } = setting;
  signal.throwIfAborted();
  const child = spawn(line, { ...ownGroup(), stdio: 'pipe', shell: true, cwd, env });
  const stdout = new BoundedOutput(child.stdout);
  const stderr = new BoundedOutput(child.stderr);
  // A hook may end without reading its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let problem: string | undefined;
  let killer: NodeJS.Timeout | undefined;
  const end = (why: string): void => {
    problem ??= why;
    endGroup(child, 'SIGTERM');
    killer ??= setTimeout(() => endGroup(child, 'SIGKILL'), graceMs);
  };
  const timer = setTimeout(() => end(`it did not end within ${timeoutMs} ms`), timeoutMs);
  const onAbort = (): void => end('it was aborted');
  signal.addEventListener('abort', onAbort);
  try {
    const ended = await endOf(child);
    // Nothing of the group outlives the hook.
    endGroup(child, 'SIGKILL');
    await drained(child);
    signal.throwIfAborted();
    const said = { stdout, stderr: stderr.text };
    if (problem !== undefined) return { ...said, problem };
    return typeof ended === 'number' ? { ...said, status: ended } : { ...said, problem: ended };
  } finally {
    clearTimeout(timer);
    clearTimeout(killer);
    signal.removeEventListener('abort', onAbort);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** Resolves to the exit status, or to the reason why there is none. */
function endOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`it could not be started: ${error.message}`));
    child.once('exit', (code, signal) => resolve(code ?? `it was ended by the signal ${signal}`));
  });
}

function drained(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, drainMs);
    child.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    // The streams may have closed already.
    if (child.stdout?.closed === true && child.stderr?.closed === true) {
      clearTimeout(timer);
      resolve();
    }
  });
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(groupTarget(pid), signal);
  } catch {
    // The group has no processes left.
  }
}

/** Returns the options that start a command in a process group of its own. Windows has none, and would open a console. */
export function ownGroup(platform: NodeJS.Platform = process.platform): SpawnOptions {
  return { detached: platform !== 'win32', windowsHide: true };
}

/** Returns the id by which a signal reaches the whole group; on Windows, only the command. */
export function groupTarget(pid: number, platform: NodeJS.Platform = process.platform): number {
  return platform === 'win32' ? pid : -pid;
}
