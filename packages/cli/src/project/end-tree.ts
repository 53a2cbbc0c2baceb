import { spawnSync } from 'node:child_process';

/** The ways to end processes. A test passes its own. */
export interface Ending {
  readonly platform: NodeJS.Platform;
  readonly kill: (pid: number, signal: NodeJS.Signals) => void;
  readonly run: (program: string, args: readonly string[]) => void;
}

const here: Ending = {
  platform: process.platform,
  kill: (pid, signal) => process.kill(pid, signal),
  // Waits for the end, because this is also called while the process exits.
  run: (program, args) => spawnSync(program, args, { stdio: 'ignore', windowsHide: true }),
};

/** Ends a process and all processes that it started. On Windows there are no signals, so it is ended at once. */
export function endTree(
  pid: number | undefined,
  signal: NodeJS.Signals,
  { platform, kill, run }: Ending = here,
): void {
  if (pid === undefined) return;
  if (platform === 'win32') return run('taskkill', ['/pid', String(pid), '/T', '/F']);
  try {
    kill(-pid, signal);
  } catch {
    // The process has already ended.
  }
}
