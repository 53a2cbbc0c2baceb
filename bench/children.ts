// A process of its own: `node children.ts`. CPU microseconds of a child run, beside a run of the same agent by itself.
import { createAgent, definePlugin, defineTool, type Agent, type Plugin } from '@shallot/core';
import type { ChatModel, ModelResponse } from '@shallot/core/model';

import { cpuMicros, median } from './measures/samples.ts';
import { takeTurns } from './measures/turns.ts';

const childrenOfRun = 50;
const samples = 100;
/** The compiler works in the CPU time that is measured, and the code of a child is several times that of a run. */
const warmup = 400;

const answer: ModelResponse = {
  message: { role: 'assistant', content: [{ type: 'text', text: 'It is one.' }] },
  usage: { input: 10, output: 5, total: 15 },
  finish: 'stop',
};

/** A plugin with a layer around each kind of call, and a gate, which surround children too. */
const layers = (name: string): Plugin =>
  definePlugin({
    name,
    setup({ hooks }) {
      hooks.wrapModelCall.tapPromise({ name: 'model', tree: true }, (request, next) => next(request));
      hooks.wrapToolCall.tapPromise({ name: 'tool', tree: true }, (call, next) => next(call));
      hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, (call, next) => next(call));
    },
  })();

/** One agent for all of its children: its definition is known from the first on. */
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
// The whole of a child, its run included: its set-up is less.
const tenMs = median(turns.map(([, , , all, plain]) => (all - plain) / childrenOfRun / 1000));
process.stdout.write(`\n${JSON.stringify({ ratio, childUs, runUs, tenMs })}\n`);

/** A model that makes calls when it is asked, and then answers. */
function doing(name: string, calls: number): ChatModel {
  return {
    id: `bench/${name}`,
    async generate({ messages }) {
      return messages.at(-1)?.role === 'user' ? asking(name, calls) : answer;
    },
  };
}

/** A model that makes one call after another, for children or for nothing; it is the model of children, too. */
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

/** Runs in sessions of their own, as children have them. */
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
