// Runs in its own process: `node summarization.ts`. Measures what summarization adds to a step, and what its history
// file costs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createAgent, defineTool, memoryStore, type Message, type Plugin } from '@shallot/core';
import type { Files } from '@shallot/core/files';
import { diskFiles } from '@shallot/core/files';
import type { ChatModel, ModelResponse } from '@shallot/core/model';
import { summarization } from '@shallot/plugin-summarization';

import { cpuMicros, median } from './measures/samples.ts';
import { takeTurns } from './measures/turns.ts';
import { countTool, historyText } from './script.ts';

/** The tool steps of a run. Its first and last model calls are not timed. */
const steps = 20;
const samples = 30;
/** The first turns are not counted, because their code is still being compiled. */
const warmup = 15;

const [short, long] = [await timeSteps(100), await timeSteps(10_000)];
const { firstUs, lastUs } = await timeSections(100);
const figures = {
  steps: long.withUs / short.withUs,
  sections: lastUs / firstUs,
  withUs: long.withUs,
  withoutUs: long.withoutUs,
  sectionUs: lastUs,
};
process.stdout.write(`\n${JSON.stringify(figures)}\n`);

/**
 * Measures the CPU microseconds of a step far below the trigger, in a session of `messages` messages, with the plugin
 * and without.
 */
async function timeSteps(messages: number): Promise<{ withUs: number; withoutUs: number }> {
  const history = Array.from({ length: messages }, (_, index) => message(index));
  const timers = [await stepTimer(history, [summarization()]), await stepTimer(history, [])] as const;
  const turns = await takeTurns(timers, { warmup, samples });
  return {
    withUs: median(turns.map(([withPlugin]) => withPlugin)),
    withoutUs: median(turns.map(([, without]) => without)),
  };
}

async function stepTimer(
  history: readonly Message[],
  plugins: readonly Plugin[],
): Promise<() => Promise<number>> {
  const store = memoryStore();
  let calls = 0;
  let started: NodeJS.CpuUsage | undefined;
  let stepUs = 0;
  const model: ChatModel = {
    id: 'bench/steps',
    limits: { contextTokens: 100_000_000 },
    async generate() {
      calls += 1;
      if (calls === 2) started = process.cpuUsage();
      if (calls <= steps) return toolCall(calls);
      stepUs = cpuMicros(started) / (steps - 1);
      return answer('Done.', history.length * 20);
    },
  };
  const tool = defineTool({
    name: countTool.name,
    description: countTool.description,
    input: countTool.schema,
    execute: () => 'counted',
  });
  const agent = await createAgent({ model, tools: [tool], plugins, store });
  let sessions = 0;
  return async () => {
    calls = 0;
    sessions += 1;
    const sessionId = `s${sessions}`;
    await store.commit(sessionId, 0, { append: history });
    await agent.run('Go on.', { sessionId });
    await store.delete(sessionId);
    return stepUs;
  };
}

/**
 * Measures the CPU microseconds that the history file on disk takes per summary, for the first ten and the last ten of
 * `count`. Wall time would depend on what else the disk does.
 */
async function timeSections(count: number): Promise<{ firstUs: number; lastUs: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-bench-history-'));
  const times: number[] = [];
  let spent = 0;
  const disk = diskFiles(folder);
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const begun = process.cpuUsage();
    const result = await work();
    spent += cpuMicros(begun);
    return result;
  };
  const files: Files = {
    ...disk,
    stat: (path) => timed(() => disk.stat(path)),
    readText: (path) => timed(() => disk.readText(path)),
    append: (path, data) => timed(() => disk.append(path, data)),
  };
  const model: ChatModel = { id: 'bench/sections', generate: async () => answer('Yes.', 10) };
  const agent = await createAgent({
    model,
    files,
    plugins: [summarization({ trigger: { messages: 20 }, keep: { messages: 2 }, truncateArguments: null })],
  });
  try {
    while (times.length < count) {
      spent = 0;
      await agent.run(historyText(0).repeat(20), { sessionId: 's' });
      if (spent > 0) times.push(spent);
    }
  } finally {
    await agent.close();
    rmSync(folder, { recursive: true });
  }
  return { firstUs: median(times.slice(0, 10)), lastUs: median(times.slice(-10)) };
}

function toolCall(n: number): ModelResponse {
  return {
    message: {
      role: 'assistant',
      content: [{ type: 'tool-call', id: `c${n}`, name: countTool.name, input: { n } }],
    },
    usage: { input: 10_000, output: 5, total: 10_005 },
    finish: 'tool-calls',
  };
}

function answer(text: string, input: number): ModelResponse {
  return {
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    usage: { input, output: 5, total: input + 5 },
    finish: 'stop',
  };
}

/** Frozen, like messages that the core itself commits. */
function message(index: number): Message {
  const content = Object.freeze([Object.freeze({ type: 'text' as const, text: historyText(index) })]);
  return Object.freeze({ role: index % 2 === 0 ? 'user' : 'assistant', id: `h${index}`, content });
}
