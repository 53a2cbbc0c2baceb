// A process of its own: `node plugins.ts`. What each plugin adds to a run in which it has nothing to do.
import { createAgent, definePlugin, defineTool, type Agent, type Plugin } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import type { ChatModel, ModelResponse } from '@shallot/core/model';
import contextEditing from '@shallot/plugin-context-editing';
import hitl from '@shallot/plugin-hitl';
import limits from '@shallot/plugin-limits';
import memory from '@shallot/plugin-memory';
import redaction from '@shallot/plugin-redaction';
import repair from '@shallot/plugin-repair';
import resilience from '@shallot/plugin-resilience';
import skills from '@shallot/plugin-skills';
import summarization from '@shallot/plugin-summarization';
import telemetry from '@shallot/plugin-telemetry';
import toolset from '@shallot/plugin-toolset';

import { cpuMicros, median } from './measures/samples.ts';
import { takeTurns } from './measures/turns.ts';
import { countTool } from './script.ts';

const runsPerTurn = 60;
const samples = 80;
const warmup = 40;
const chunks = 1000;
/** Pass-through plugins are too cheap to be measured one by one. */
const copies = 10;
const passKey = 'passThrough';

const plugins: Readonly<Record<string, () => Plugin>> = {
  contextEditing: () => contextEditing({ clearToolResults: {} }),
  hitl: () => hitl({ tools: { other: true } }),
  limits: () => limits({ modelCalls: { run: 1000 }, toolCalls: { run: 1000 } }),
  memory: () => memory(),
  redaction: () => redaction(),
  repair: () => repair(),
  resilience: () => resilience(),
  skills: () => skills(),
  summarization: () => summarization(),
  telemetry: () => telemetry(),
  toolset: () => toolset(),
};

/** A call of a tool, then an answer. */
const model: ChatModel = {
  id: 'bench/plugins',
  limits: { contextTokens: 1_000_000 },
  async generate({ messages }, { emit, wantsChunks }) {
    if (messages.at(-1)?.role === 'user' && !wantsChunks) return toolCall;
    for (let index = 0; wantsChunks && index < chunks; index += 1)
      await emit({ type: 'text-delta', index: 0, text: 'seven words ' });
    return answer(wantsChunks ? 'seven words '.repeat(chunks) : 'It is one.');
  },
};

const toolCall: ModelResponse = {
  message: { role: 'assistant', content: [{ type: 'tool-call', id: 'c1', name: 'count', input: { n: 1 } }] },
  usage: { input: 10, output: 5, total: 15 },
  finish: 'tool-calls',
};

const figures: Record<string, number> = {};
const sets = {
  none: [] as readonly Plugin[],
  [passKey]: Array.from({ length: copies }, (_, index) => passThrough(index)),
  ...Object.fromEntries(Object.entries(plugins).map(([name, make]) => [name, [make()]])),
};
for (const [suffix, isStreamed] of [
  ['', false],
  ['Chunk', true],
] as const) {
  const costs = await costsOf(isStreamed);
  const base = costs['none'] ?? Number.NaN;
  const pass = ((costs[passKey] ?? Number.NaN) - base) / copies;
  for (const name of Object.keys(plugins)) {
    const cost = costs[name] ?? Number.NaN;
    figures[`${name}${suffix}`] = isStreamed ? cost / base : (cost - base) / pass;
  }
  if (!isStreamed) figures['passThroughUs'] = pass;
  figures[isStreamed ? 'chunkUs' : 'plainUs'] = isStreamed ? base / chunks : base;
}
process.stdout.write(`\n${JSON.stringify(figures)}\n`);

/** CPU microseconds of a run with each set of plugins. */
async function costsOf(isStreamed: boolean): Promise<Record<string, number>> {
  const names = Object.keys(sets);
  const timers = await Promise.all(
    Object.values(sets).map(async (own) => timer(await agentWith(own), isStreamed)),
  );
  const turns = await takeTurns(timers, { warmup, samples });
  return Object.fromEntries(
    names.map((name, index) => [name, median(turns.map((times) => times[index] ?? 0))]),
  );
}

function timer(agent: Agent, isStreamed: boolean): () => Promise<number> {
  const runs = isStreamed ? 10 : runsPerTurn;
  return async () => {
    const begun = process.cpuUsage();
    for (let run = 0; run < runs; run += 1) {
      if (!isStreamed) await agent.run('How many?');
      else for await (const _ of agent.stream('How many?'));
    }
    return cpuMicros(begun) / runs;
  };
}

async function agentWith(own: readonly Plugin[]): Promise<Agent> {
  const files = memoryFiles();
  const names = ['count', 'other'];
  return createAgent({
    model,
    tools: names.map((name) =>
      defineTool({
        name,
        description: countTool.description,
        input: countTool.schema,
        execute: () => 'counted',
      }),
    ),
    plugins: own,
    files,
    log: 'silent',
  });
}

function answer(text: string): ModelResponse {
  return {
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    usage: { input: 10, output: 5, total: 15 },
    finish: 'stop',
  };
}

/** A plugin as the rows of layers have them: async functions in all four hooks, which change nothing. */
function passThrough(index: number): Plugin {
  return definePlugin({
    name: `pass-${index}`,
    setup({ hooks }) {
      hooks.beforeModel.tapPromise('pass', async (request) => request);
      hooks.wrapModelCall.tapPromise('pass', async (request, next) => next(request));
      hooks.afterModel.tapPromise('pass', async (response) => response);
      hooks.wrapToolCall.tapPromise('pass', async (call, next) => next(call));
    },
  })();
}
