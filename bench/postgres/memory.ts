// Runs in its own process, with --expose-gc. Measures the memory that a worker keeps after 8,000 runs, when 2,000 runs
// have gone before. Each session is deleted after its run, because the worker keeps the last used ones in memory.
import { settledHeap } from '../measures/samples.ts';
import { startWorking } from './working.ts';

const [before, after] = [2000, 10_000];

const working = await startWorking(1, []);
await runTo(0, before);
const early = settledHeap();
await runTo(before, after);
const late = settledHeap();
await working.end();
process.stdout.write(
  `\n${JSON.stringify({ grownKb: Math.max(0, late - early) / 1000, heapMb: late / 1e6 })}\n`,
);

async function runTo(from: number, to: number): Promise<void> {
  let run = from;
  const runOn = async (): Promise<void> => {
    for (; run < to;) {
      run += 1;
      await working.forget(await working.run());
    }
  };
  await Promise.all(Array.from({ length: 8 }, runOn));
}
