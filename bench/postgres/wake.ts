// Runs in its own process. Measures the time from the call that submits a run until an idle worker calls its first
// hook.
import { setTimeout as delay } from 'node:timers/promises';

import { median } from '../measures/samples.ts';
import { startWorking } from './working.ts';

const [warmup, samples, pauseMs] = [20, 100, 20];

const working = await startWorking(1, ['fsync=on']);
const times: number[] = [];
for (let sample = -warmup; sample < samples; sample += 1) {
  // Waits until the worker is idle, for a random time so that samples do not fall into step with it.
  await delay(pauseMs * (1 + Math.random()));
  const submitted = performance.now();
  await working.run();
  if (sample >= 0) times.push(working.hookAt - submitted);
}
await working.end();
times.sort((a, b) => a - b);
process.stdout.write(
  `\n${JSON.stringify({ medianMs: median(times), slowMs: times[Math.floor(samples * 0.95)] })}\n`,
);
