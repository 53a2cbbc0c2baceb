import type { Files } from '@shallot/core/files';
import { perKey } from '@shallot/core/plugin';

/** Runs a task when those before it on the same file are done. */
export type InTurn = <T>(files: Files, path: string, task: () => Promise<T>) => Promise<T>;

/**
 * Returns a function that runs tasks on the same file one after the other. The calls of a step run at once, and two
 * edits of one file must not start from the same old text.
 */
export function turns(): InTurn {
  const queues = new WeakMap<object, ReturnType<typeof perKey>>();
  return (files, path, task) => {
    const key = files.identity ?? files;
    const queue = queues.get(key) ?? perKey();
    queues.set(key, queue);
    return queue(path, task);
  };
}
