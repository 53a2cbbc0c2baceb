import { constants } from 'node:os';

/** The exit statuses; help and README quote them. */
export const exitStatus = {
  /** The run or command completed. */
  completed: 0,
  /** The run or command failed. */
  failed: 1,
  /** The command line or the config is wrong: nothing was run. */
  usage: 2,
  /** The run, or an earlier one of the session, waits for answers. */
  waiting: 3,
  /** The run completed, but its answer is incomplete: cut off, filtered, or given at a limit. */
  short: 4,
} as const;

/** Returns 128 + n, as in shells: 130 for SIGINT, 143 for SIGTERM, 141 if the reader of stdout is gone (SIGPIPE). */
export function signalStatus(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** The table for `--help`. */
export const exitStatusHelp = `
Exit status:
  0    completed
  1    failed
  2    invalid usage or configuration, an unknown id, an invalid answer; nothing was run
  3    stopped: the session waits for answers (for example, approvals)
  4    completed, but the answer is incomplete: cut off, filtered, or stopped by maxSteps or another limit
  130  aborted by Ctrl-C (SIGINT); 143 by SIGTERM, 129 by SIGHUP
  141  aborted because the reader of stdout went away`;
