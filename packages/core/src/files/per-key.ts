/** Runs tasks of one key one after the other, in the order of the calls; tasks of different keys do not wait. */
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
