/**
 * Calls a function when a signal is aborted, or at once if it already is. Returns a function that removes the listener.
 */
export function onAbort(signal: AbortSignal | undefined, act: (reason: unknown) => void): () => void {
  if (signal === undefined) return nothing;
  const heard = (): void => act(signal.reason);
  if (signal.aborted) heard();
  else signal.addEventListener('abort', heard, { once: true });
  return () => signal.removeEventListener('abort', heard);
}

function nothing(): void {}
