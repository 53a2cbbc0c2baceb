/**
 * Returns a function that runs tasks with the same key sequentially, in the order of the calls, and others
 * independently.
 */
export function perKey(): <T>(key: string, task: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const before = last.get(key);
    const turn = before === undefined ? task() : before.then(task, task);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
