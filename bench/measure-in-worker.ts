import { figuresOf } from './node-process.ts';
import type { Job, Measure, Measured } from './worker.ts';

const timeoutMs = 180_000;

/** Measures one subject in a process of its own. */
export function measureInWorker<M extends Measure>(
  job: Job<M>,
  nodeArgs: readonly string[],
): Promise<Measured<M>> {
  return figuresOf<Measured<M>>([...nodeArgs, '--expose-gc', 'worker.ts', JSON.stringify(job)], {
    cwd: import.meta.dirname,
    timeoutMs,
  });
}
