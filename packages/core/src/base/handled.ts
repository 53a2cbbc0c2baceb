/** The same promise; its rejection is nobody's loss if nobody awaits it. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore);
  return promise;
}

function ignore(): void {}
