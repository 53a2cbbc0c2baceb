let isLeaving = false;

/** Ends the process on behalf of the command; exits by other code are reported. */
export function leave(status: number): never {
  isLeaving = true;
  process.exit(status);
}

/** Calls `report` when other code ends the process. The exit cannot be prevented, but `report` returns its status. */
export function watchLeaving(report: (stack: Error) => number): void {
  const onExit = (): void => {
    if (isLeaving) return;
    isLeaving = true;
    const stack = new Error('process.exit was called');
    // Starts the stack at the caller of `exit`.
    Error.captureStackTrace(stack, onExit);
    process.exitCode = report(stack);
  };
  process.on('exit', onExit);
}
