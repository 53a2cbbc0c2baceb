// Runs in its own process. Measures a worker over PostgreSQL on a disk, with eight runs at once of ten steps each and
// one tool call per step.
import { startWorking } from './working.ts';

const [steps, runs, atOnce] = [10, 160, 8];

const working = await startWorking(steps, ['fsync=on']);
await runMany(runs / 4);
const [started, cpu] = [performance.now(), process.cpuUsage()];
await runMany(runs);
const wallMs = performance.now() - started;
const { user, system } = process.cpuUsage(cpu);
await working.end();
const count = runs * steps;
process.stdout.write(
  `\n${JSON.stringify({ stepMs: wallMs / count, cpuMs: (user + system) / 1000 / count })}\n`,
);

async function runMany(total: number): Promise<void> {
  let left = total;
  const runOn = async (): Promise<void> => {
    for (; left > 0;) {
      left -= 1;
      await working.run();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, runOn));
}
