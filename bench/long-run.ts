// Runs in its own process. Measures a run of many steps whose model and tool answer at once, while a timer waits for
// its turn.
import { createAgent, memoryStore } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';

import { cpuMicros } from './measures/samples.ts';
import { look } from './real-content.ts';

const [steps, everyMs] = [16_000, 5];

let [calls, turns, stallMs, last] = [0, 0, 0, performance.now()];
/** The CPU time at the start of every thousandth step. */
const marks: number[] = [];

const model: ChatModel = {
  id: 'bench/long',
  async generate() {
    if (calls % 1000 === 0) marks.push(cpuMicros());
    calls += 1;
    const content = calls > steps ? [{ type: 'text' as const, text: 'Done.' }] : [callOf(calls)];
    return { message: { role: 'assistant', content }, finish: calls > steps ? 'stop' : 'tool-calls' };
  },
};

await using agent = await createAgent({
  model,
  tools: [look],
  store: memoryStore(),
  log: 'silent',
  maxSteps: steps + 1,
});
await agent.run('Warm up.', { sessionId: 'warm', signal: AbortSignal.timeout(1000) }).catch(() => undefined);
calls = 0;
marks.length = 0;

const timer = setInterval(() => {
  const now = performance.now();
  stallMs = Math.max(stallMs, now - last);
  last = now;
  turns += 1;
}, everyMs);
const begun = performance.now();
last = begun;
await agent.run('Go.', { sessionId: 'long' });
const tookMs = performance.now() - begun;
clearInterval(timer);

const thousand = (index: number): number => ((marks.at(index) ?? 0) - (marks.at(index - 1) ?? 0)) / 1000;
const [firstUs, lastUs] = [thousand(2), thousand(-1)];
process.stdout.write(
  `\n${JSON.stringify({
    growth: lastUs / firstUs,
    late: tookMs / everyMs / Math.max(turns, 1),
    firstUs,
    lastUs,
    stallMs,
  })}\n`,
);

function callOf(number: number) {
  return { type: 'tool-call' as const, id: `c${number}`, name: 'look', input: {} };
}
