import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** The time for a process to exit after its stdin was closed, and after SIGTERM, in milliseconds. */
const graceMs = 1000;

/**
 * Returns the options that start a process in its own process group, so that all of it can be ended. Windows has no
 * such groups, and would open a console.
 */
export function ownGroup(
  platform: NodeJS.Platform = process.platform,
): Pick<SpawnOptions, 'detached' | 'windowsHide'> {
  return { detached: platform !== 'win32', windowsHide: true };
}

/**
 * Ends a process that leads its own process group: closes its stdin, then sends SIGTERM and SIGKILL to the group. On
 * Windows, which has neither, it ends the process tree.
 */
export async function endProcess(child: ChildProcess, platform = process.platform): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const exited = hasExited(child) ? Promise.resolve() : once(child, 'exit');
  const closed = once(child, 'close');
  child.stdin?.end();
  const hasEnded = await within(exited, graceMs);
  if (platform === 'win32') {
    if (!hasEnded) await endTree(pid);
  } else {
    if (!hasEnded) {
      signalGroup(pid, 'SIGTERM');
      await within(exited, graceMs);
    }
    // Ends processes that the program left in its group.
    signalGroup(pid, 'SIGKILL');
  }
  await exited;
  // Waits for the last output.
  await within(closed, graceMs);
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/** Ends a process and its children. On Windows, `npx` is a script run by a shell process. */
async function endTree(pid: number): Promise<void> {
  const ending = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
  await once(ending, 'close');
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function within(exited: Promise<unknown>, ms: number): Promise<boolean> {
  const late = new AbortController();
  const timer = delay(ms, false, { signal: late.signal });
  try {
    return await Promise.race([exited.then(() => true), timer]);
  } finally {
    late.abort();
    await timer.catch(() => {
      // The timer was aborted.
    });
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has no processes left.
  }
}
