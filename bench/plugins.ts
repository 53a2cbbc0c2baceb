// Runs in its own process: `node plugins.ts`. Measures the cost that each plugin adds to a run in which it has nothing
// to do.
import { createAgent, definePlugin, defineTool, type Agent, type Plugin } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import type { ChatModel, ModelResponse } from '@shallot/core/model';
import { contextEditing } from '@shallot/plugin-context-editing';
import { hitl } from '@shallot/plugin-hitl';
import { limits } from '@shallot/plugin-limits';
import { memory } from '@shallot/plugin-memory';
import { promptCaching } from '@shallot/plugin-prompt-caching';
import { redaction } from '@shallot/plugin-redaction';
import { repair } from '@shallot/plugin-repair';
import { resilience } from '@shallot/plugin-resilience';
import { skills } from '@shallot/plugin-skills';
import { summarization } from '@shallot/plugin-summarization';
import { telemetry } from '@shallot/plugin-telemetry';
import { toolset } from '@shallot/plugin-toolset';

import { cpuMicros, median } from './measures/samples.ts';
import { takeTurns } from './measures/turns.ts';
import { countTool } from './script.ts';

const runsPerTurn = 60;
const streamsPerTurn = 10;
const samples = 50;
/** Turns, so 6,000 runs of each set: with fewer, a plugin is charged for code that is not compiled yet. */
const warmup = 100;
const words = 'seven words ';
const fewChunks = 100;
const manyChunks = 1000;
const passKey = 'passThrough';

const plugins: Readonly<Record<string, () => Plugin>> = {
  contextEditing: () => contextEditing({ clearToolResults: {} }),
  hitl: () => hitl({ tools: { other: true } }),
  limits: () => limits({ modelCalls: { run: 1000 }, toolCalls: { run: 1000 } }),
  memory: () => memory(),
  promptCaching: () => promptCaching(),
  redaction: () => redaction(),
  repair: () => repair(),
  resilience: () => resilience(),
  skills: () => skills(),
  summarization: () => summarization(),
  telemetry: () => telemetry(),
  toolset: () => toolset(),
};

/**
 * Returns a model that calls a tool and then answers. With `pieces` it streams, always the same text, in that many
 * pieces.
 */
function modelWith(pieces: number): ChatModel {
  const text = words.repeat(manyChunks);
  const size = text.length / Math.max(1, pieces);
  return {
    id: 'bench/plugins',
    limits: { contextTokens: 1_000_000 },
    async generate({ messages }, { emit }) {
      if (pieces === 0) return messages.at(-1)?.role === 'user' ? toolCall : answer('It is one.');
      for (let at = 0; at < text.length; at += size)
        await emit({ type: 'text-delta', index: 0, text: text.slice(at, at + size) });
      return answer(text);
    },
  };
}

const toolCall: ModelResponse = {
  message: { role: 'assistant', content: [{ type: 'tool-call', id: 'c1', name: 'count', input: { n: 1 } }] },
  usage: { input: 10, output: 5, total: 15 },
  finish: 'tool-calls',
};

const figures: Record<string, number> = {};
const sets = {
  none: [] as readonly Plugin[],
  [passKey]: [passThrough()],
  ...Object.fromEntries(Object.entries(plugins).map(([name, make]) => [name, [make()]])),
};
const whole = await costsOf(0);
const plainUs = whole['none'] ?? Number.NaN;
const passThroughUs = (whole[passKey] ?? Number.NaN) - plainUs;
const [few, many] = [await costsOf(fewChunks), await costsOf(manyChunks)];
/** Returns the cost per piece, without the cost that the plugin has once per answer. */
const chunkCost = (name: string): number =>
  ((many[name] ?? Number.NaN) - (few[name] ?? Number.NaN)) / (manyChunks - fewChunks);
for (const name of Object.keys(plugins)) {
  figures[name] = ((whole[name] ?? Number.NaN) - plainUs) / passThroughUs;
  figures[`${name}Chunk`] = chunkCost(name) / chunkCost('none');
}
process.stdout.write(
  `\n${JSON.stringify({ ...figures, passThroughUs, plainUs, chunkUs: chunkCost('none') })}\n`,
);

/** Measures the CPU microseconds per run with each set of plugins. */
async function costsOf(pieces: number): Promise<Record<string, number>> {
  const names = Object.keys(sets);
  const timers = await Promise.all(
    Object.values(sets).map(async (own) => timer(await agentWith(own, pieces), pieces > 0)),
  );
  const turns = await takeTurns(timers, { warmup, samples });
  return Object.fromEntries(
    names.map((name, index) => [name, median(turns.map((times) => times[index] ?? 0))]),
  );
}

function timer(agent: Agent, isStreamed: boolean): () => Promise<number> {
  const runs = isStreamed ? streamsPerTurn : runsPerTurn;
  return async () => {
    const begun = process.cpuUsage();
    for (let run = 0; run < runs; run += 1) {
      if (!isStreamed) await agent.run('How many?');
      else for await (const _ of agent.stream('How many?'));
    }
    return cpuMicros(begun) / runs;
  };
}

async function agentWith(own: readonly Plugin[], pieces: number): Promise<Agent> {
  const files = memoryFiles();
  const names = ['count', 'other'];
  return createAgent({
    model: modelWith(pieces),
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

/** Returns the plugin that layers are measured with: async functions in all four hooks that change nothing. */
function passThrough(): Plugin {
  return definePlugin({
    name: 'pass-through',
    setup({ hooks }) {
      hooks.beforeModel.tapPromise('pass', async (request) => request);
      hooks.wrapModelCall.tapPromise('pass', async (request, next) => next(request));
      hooks.afterModel.tapPromise('pass', async (response) => response);
      hooks.wrapToolCall.tapPromise('pass', async (call, next) => next(call));
    },
  })();
}
