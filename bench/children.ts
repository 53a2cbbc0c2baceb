// Runs in its own process: `node children.ts`. Measures the CPU microseconds of a child run, against a run of the same
// agent on its own.
import { createAgent, definePlugin, defineTool, type Agent, type Plugin } from '@shallot/core';
import type { ChatModel, ModelResponse } from '@shallot/core/model';

import { cpuMicros, median } from './measures/samples.ts';
import { takeTurns } from './measures/turns.ts';

const childrenOfRun = 50;
const samples = 100;
/**
 * While code is being compiled, that counts as CPU time, and a child executes several times as much code as a plain
 * run.
 */
const warmup = 400;

const answer: ModelResponse = {
  message: { role: 'assistant', content: [{ type: 'text', text: 'It is one.' }] },
  usage: { input: 10, output: 5, total: 15 },
  finish: 'stop',
};

/**
 * Returns a plugin with a layer around model calls, a layer around tool calls, and a gate. All three also surround the
 * calls of children.
 */
const layers = (name: string): Plugin =>
  definePlugin({
    name,
    setup({ hooks }) {
      hooks.wrapModelCall.tapPromise({ name: 'model', tree: true }, (request, next) => next(request));
      hooks.wrapToolCall.tapPromise({ name: 'tool', tree: true }, (call, next) => next(call));
      hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, (call, next) => next(call));
    },
  })();

/** The same definition for all children, so the agent is built only once. */
const worker = { name: 'worker', tools: ['count'] };

const agent = await createAgent({
  model: doing('count', 1),
  maxSteps: 10,
  tools: ['count', 'delegate', 'nothing'].map((name) =>
    defineTool({
      name,
      description: 'Works.',
      input: { type: 'object' },
      effect: 'idempotent',
      execute: async (_, { child }) =>
        name === 'delegate' ? (await child({ agent: worker, prompt: 'How many?' })).text : 'counted',
    }),
  ),
  log: 'silent',
});
const withChildren = await agent.fork({ model: rootOf('delegate') });
const without = await agent.fork({ model: rootOf('nothing') });
const plugins = Array.from({ length: 10 }, (_, index) => layers(`layers-${index}`));
const tenWithChildren = await withChildren.fork({ plugins });
const tenWithout = await without.fork({ plugins });
let sessions = 0;
const turns = await takeTurns(
  [
    timer(agent, childrenOfRun),
    timer(withChildren, 1),
    timer(without, 1),
    timer(tenWithChildren, 1),
    timer(tenWithout, 1),
  ],
  { warmup, samples },
);
const runUs = median(turns.map(([alone]) => alone / childrenOfRun));
const childUs = median(turns.map(([, all, plain]) => (all - plain) / childrenOfRun));
const ratio = median(turns.map(([alone, all, plain]) => (all - plain) / alone));
// This includes the child's own run; the set-up of a child takes less.
const tenMs = median(turns.map(([, , , all, plain]) => (all - plain) / childrenOfRun / 1000));
process.stdout.write(`\n${JSON.stringify({ ratio, childUs, runUs, tenMs })}\n`);

/** Returns a model that answers each user message with `calls` tool calls, and then with text. */
function doing(name: string, calls: number): ChatModel {
  return {
    id: `bench/${name}`,
    async generate({ messages }) {
      return messages.at(-1)?.role === 'user' ? asking(name, calls) : answer;
    },
  };
}

/**
 * Returns a model for a root and its children. The root makes all its calls of the tool `name` in one answer, and a child
 * calls `count` once.
 */
function rootOf(name: string): ChatModel {
  const work = doing('count', 1);
  const root = doing(name, childrenOfRun);
  return {
    id: 'bench/root',
    generate: (request, context) =>
      (request.tools.some((tool) => tool.name === 'delegate') ? root : work).generate(request, context),
  };
}

function asking(name: string, calls: number): ModelResponse {
  const content = Array.from(
    { length: calls },
    (_, index) => ({ type: 'tool-call', id: `c${index}`, name, input: {} }) as const,
  );
  return {
    message: { role: 'assistant', content },
    usage: { input: 10, output: 5, total: 15 },
    finish: 'tool-calls',
  };
}

/** Returns a timer of `runs` runs, each in its own session, as children have theirs. */
function timer(of: Agent, runs: number): () => Promise<number> {
  return async () => {
    const ids = Array.from({ length: runs }, () => `session-${(sessions += 1)}`);
    const begun = process.cpuUsage();
    for (const sessionId of ids) await of.run('How many?', { sessionId });
    const spent = cpuMicros(begun);
    for (const sessionId of ids) await of.deleteSession(sessionId);
    return spent;
  };
}
