import { setTimeout as delay } from 'node:timers/promises';

import { isDead } from './is-dead.ts';
import { Watchdog } from './watchdog.ts';

/** The time that a group has to end after KILL. */
const reapMs = 1000;

const running = new Set<number>();
let watchdog: Watchdog | undefined;
let keepers = 0;

/**
 * Keeps the process that ends groups from the first command on, since starting it again costs as much as a command.
 * Returns a function that releases it.
 */
export function keepWatchdog(): () => void {
  keepers += 1;
  return () => {
    keepers -= 1;
    restWatchdog();
  };
}

/** Ends the groups that are left when this process exits of its own accord. */
function killAll(): void {
  for (const group of running) signalGroup(group, 'SIGKILL');
}

/** Makes sure that no process of a group outlives this one, until `endGroup` has ended the group. */
export function watchGroup(group: number): void {
  if (running.size === 0) process.on('exit', killAll);
  running.add(group);
  watchdog ??= new Watchdog();
  watchdog.add(group);
}

/** Ends what is left of a group: TERM, then KILL. */
export async function endGroup(group: number, killAfterMs: number): Promise<void> {
  try {
    if (!signalGroup(group, 'SIGTERM') || (await isGone(group, killAfterMs))) return;
    signalGroup(group, 'SIGKILL');
    await isGone(group, reapMs);
  } finally {
    unwatchGroup(group);
  }
}

function unwatchGroup(group: number): void {
  if (!running.delete(group)) return;
  watchdog?.delete(group);
  if (running.size > 0) return;
  process.off('exit', killAll);
  restWatchdog();
}

function restWatchdog(): void {
  if (running.size > 0 || keepers > 0) return;
  watchdog?.end();
  watchdog = undefined;
}

async function isGone(group: number, withinMs: number): Promise<boolean> {
  const start = performance.now();
  for (let waitMs = 1; signalGroup(group, 0); waitMs = Math.min(2 * waitMs, 50)) {
    if (waitMs > 4 && (await isDead(group))) {
      // A process may have started while those of the group were counted.
      signalGroup(group, 'SIGKILL');
      return true;
    }
    if (performance.now() - start >= withinMs) return false;
    await delay(waitMs);
  }
  return true;
}

/** Sends a signal to a group. Returns whether the group has a process. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    // EPERM means that the group still has processes of other users, which this process may not signal.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
