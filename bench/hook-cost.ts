// Runs in its own process: `node hook-cost.ts`. Measures the wall milliseconds of a hook, against starting its command
// by hand.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { createAgent, defineTool } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { hooks } from '@shallot/plugin-hooks';

import { median } from './measures/samples.ts';
import { takeTurns } from './measures/turns.ts';

const line = 'cat > /dev/null';
const samples = 100;
const warmup = 10;

/** A model that calls the tool once, and then answers. */
const model: ChatModel = {
  id: 'bench/hooks',
  generate: async ({ messages }) =>
    messages.at(-1)?.role === 'user'
      ? {
          message: { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 'count', input: {} }] },
          finish: 'tool-calls',
        }
      : { message: { role: 'assistant', content: [{ type: 'text', text: 'One.' }] }, finish: 'stop' },
};
const count = defineTool({
  name: 'count',
  description: 'Counts.',
  input: { type: 'object' },
  execute: () => 'counted',
});
const plain = await createAgent({ model, tools: [count], log: 'silent' });
const hooked = await createAgent({
  model,
  tools: [count],
  plugins: [hooks({ events: { PreToolUse: [{ command: line }] } })],
  log: 'silent',
});

const turns = await takeTurns(
  [
    () => timed(byHand),
    () => timed(() => plain.run('How many?')),
    () => timed(() => hooked.run('How many?')),
  ],
  { warmup, samples },
);
const processMs = median(turns.map(([hand]) => hand));
const overMs = median(turns.map(([hand, without, whole]) => whole - without - hand));
process.stdout.write(`\n${JSON.stringify({ overMs, processMs })}\n`);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Starts the hook's command as a program would without Shallot. */
async function byHand(): Promise<void> {
  const child = spawn(line, { shell: true, detached: true });
  child.stdin.end(JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'count', tool_input: {} }));
  await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
}
