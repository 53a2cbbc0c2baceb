import { signalStatus } from './exit-status.ts';
import { leave } from './leave.ts';

/** Watches for signals that ask the command to stop. */
export interface StopSignals {
  /** Aborted at the first signal. */
  readonly signal: AbortSignal;
  /** The exit status for the signal; undefined if there was none. */
  readonly status: number | undefined;
  /** Ends the watch. */
  end(): void;
}

const allStopping: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Aborts at the first signal, and calls `onStop`; a second signal ends the process at once. */
export function watchStopSignals(
  onStop: (signal: NodeJS.Signals) => void,
  stopping: readonly NodeJS.Signals[] = allStopping,
): StopSignals {
  const controller = new AbortController();
  let status: number | undefined;
  const listener = (signal: NodeJS.Signals): void => {
    if (status !== undefined) leave(signalStatus(signal));
    status = signalStatus(signal);
    onStop(signal);
    controller.abort();
  };
  for (const signal of stopping) process.on(signal, listener);
  return {
    signal: controller.signal,
    get status() {
      return status;
    },
    end() {
      for (const signal of stopping) process.off(signal, listener);
    },
  };
}
