// Runs in its own process: `node real-plugins.ts`. Measures what the plugins of a production config cost with realistic
// content: results of 500 characters, sessions of 10, 1,000 and 10,000 messages, and the first turn of a session that
// is new to the process.
import { setTimeout as sleep } from 'node:timers/promises';

import { createAgent, defineTool, memoryStore, type Agent, type Message, type Plugin } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import type { ChatModel } from '@shallot/core/model';

import { cpuMicros, median } from './measures/samples.ts';
import { productionPlugins } from './production-plugins.ts';
import { sentence } from './real-content.ts';

const steps = 20;
const contextTokens = 100_000_000;

const shortUs = await stepCost(productionPlugins(), 10);
const longUs = await stepCost(productionPlugins(), 10_000);
const long = await firstTurn(10_000);
const longer = await firstTurn(100_000);
process.stdout.write(
  `\n${JSON.stringify({
    growth: longUs / shortUs,
    shortUs,
    longUs,
    noneUs: await stepCost([], 10),
    longStallMs: long.stallMs,
    longerStallMs: longer.stallMs,
    laterMs: longer.laterMs,
  })}\n`,
);

/** Measures the CPU microseconds of a step in a session of `messages` messages. */
async function stepCost(own: readonly Plugin[], messages: number): Promise<number> {
  const store = memoryStore();
  await using agent = await agentWith(own, store);
  const costs: number[] = [];
  for (let round = 0; round < (messages > 1000 ? 6 : 25); round += 1) {
    const sessionId = `s${round}`;
    await store.commit(sessionId, 0, { append: history(messages) });
    await agent.run('Begin.', { sessionId });
    const begun = process.cpuUsage();
    await agent.run('Go on.', { sessionId });
    costs.push(cpuMicros(begun) / steps);
    await store.delete(sessionId);
  }
  return median(costs.slice(costs.length / 2));
}

/** Measures how long the first turn of a session stalls the event loop, and the CPU milliseconds of a later turn. */
async function firstTurn(messages: number): Promise<{ stallMs: number; laterMs: number }> {
  const store = memoryStore();
  await using agent = await agentWith(productionPlugins(), store);
  await agent.run('Warm.', { sessionId: 'warm' });
  await store.commit('s', 0, { append: history(messages) });
  let last = performance.now();
  let stallMs = 0;
  const watch = setInterval(() => {
    const now = performance.now();
    stallMs = Math.max(stallMs, now - last);
    last = now;
  }, 1);
  await sleep(20);
  stallMs = 0;
  await agent.run('Go on.', { sessionId: 's' });
  await sleep(20);
  clearInterval(watch);
  const begun = process.cpuUsage();
  await agent.run('And again.', { sessionId: 's' });
  return { stallMs, laterMs: cpuMicros(begun) / 1000 };
}

/** Returns messages that are frozen, as those that a store loads are. */
function history(count: number): Message[] {
  return Array.from({ length: count }, (_, index) =>
    Object.freeze({
      id: `m${index}`,
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: Object.freeze([
        Object.freeze({ type: 'text' as const, text: `${index} ${sentence}${sentence}` }),
      ]),
    }),
  );
}

function agentWith(own: readonly Plugin[], store: ReturnType<typeof memoryStore>): Promise<Agent> {
  let results = 0;
  const tool = (name: string) =>
    defineTool({
      name,
      description: 'Counts the words of a file.',
      input: { type: 'object' },
      effect: 'read',
      execute: () => `${(results += 1)} ${sentence.repeat(5)}`,
    });
  return createAgent({
    model: modelOf(),
    tools: [tool('count'), tool('other')],
    plugins: own,
    files: memoryFiles(),
    store,
    log: 'silent',
    maxSteps: steps + 2,
  });
}

/** Returns a model that calls a tool in each step but the last, and reports its usage. */
function modelOf(): ChatModel {
  let calls = 0;
  return {
    id: 'bench/real-plugins',
    limits: { contextTokens },
    async generate({ messages }) {
      const usage = { input: messages.length * 60, output: 20, total: messages.length * 60 + 20 };
      calls += 1;
      if (calls % steps === 0)
        return {
          message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
          usage,
          finish: 'stop',
        };
      const call = { type: 'tool-call' as const, id: `c${calls}`, name: 'count', input: { n: calls } };
      return { message: { role: 'assistant', content: [call] }, usage, finish: 'tool-calls' };
    },
  };
}
