let isLeaving = false;

/** Ends the process for the command itself: whoever else ends it is reported. */
export function leave(status: number): never {
  isLeaving = true;
  process.exit(status);
}

/** Calls `report` when other code ends the process; it cannot be kept from ending, but the status is what `report` gives. */
export function watchLeaving(report: (stack: Error) => number): void {
  const onExit = (): void => {
    if (isLeaving) return;
    isLeaving = true;
    const stack = new Error('process.exit was called');
    // What called `exit` is the first file of it.
    Error.captureStackTrace(stack, onExit);
    process.exitCode = report(stack);
  };
  process.on('exit', onExit);
}
