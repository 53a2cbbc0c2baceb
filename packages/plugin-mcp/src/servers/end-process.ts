import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a process is waited for after its stdin was closed, and after TERM. */
const graceMs = 1000;

/**
 * Ends a process that leads a group of its own: its stdin is closed, then TERM, then KILL, to the whole group. Windows has
 * neither groups nor TERM: there the process is ended with what it has started, if it does not end by itself.
 */
export async function endProcess(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const exited = hasExited(child) ? Promise.resolve() : once(child, 'exit');
  const closed = once(child, 'close');
  child.stdin?.end();
  const hasEnded = await within(exited, graceMs);
  if (process.platform === 'win32') {
    if (!hasEnded) await endTree(pid);
  } else {
    if (!hasEnded) {
      signalGroup(pid, 'SIGTERM');
      await within(exited, graceMs);
    }
    // What the program has left behind in its group goes with it.
    signalGroup(pid, 'SIGKILL');
  }
  await exited;
  // What it wrote last may still be on its way.
  await within(closed, graceMs);
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/** Of `npx`, which is a script on Windows, the process is that of a shell. */
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
      // It was only to be stopped.
    });
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in the group.
  }
}
