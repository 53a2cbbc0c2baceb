// Runs in its own process: `node --expose-gc telemetry.ts`. Measures what telemetry adds to a run, with an SDK and
// without.
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { createAgent, definePlugin, defineTool, memoryStore, type Plugin } from '@shallot/core';
import type { ChatModel, ModelResponse } from '@shallot/core/model';
import { telemetry } from '@shallot/plugin-telemetry';

import { makeBareSpans } from './bare-spans.ts';
import { cpuMicros, median } from './measures/samples.ts';
import { takeTurns, type Timer } from './measures/turns.ts';
import { countTool } from './script.ts';

const layers = 10;
const runs = 400;
/** The compiler still improves the code after more than ten thousand runs. */
const turns = { warmup: 40, samples: 40 };
/** The spans of a run with two model calls and one tool call, with the run's own. */
const spansOfRun = 4;

const usage = { input: 10, output: 5, total: 15 };

const model: ChatModel = {
  id: 'bench/scripted',
  generate: async ({ messages }): Promise<ModelResponse> =>
    messages.at(-1)?.role === 'tool'
      ? { message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, usage, finish: 'stop' }
      : {
          message: {
            role: 'assistant',
            content: [{ type: 'tool-call', id: 'c1', name: countTool.name, input: { n: 1 } }],
          },
          usage,
          finish: 'tool-calls',
        },
};

if (!globalThis.gc) throw new Error('this measurement needs node --expose-gc');
const collect = globalThis.gc;

const idle = await takeTurns([await runTimer(passThrough(1, 'more')), await runTimer([telemetry()])], turns);
const plain = await runTimer([]);
registerSdk();
const traced = await takeTurns([plain, await runTimer([telemetry()]), timer(makeBareSpans)], turns);
const figures = {
  idleRatio: median(idle.map(([passUs, idleUs]) => idleUs / passUs)),
  idleUs: median(idle.map(([, idleUs]) => idleUs)),
  passUs: median(idle.map(([passUs]) => passUs)),
  ownUs: median(traced.map(([plainUs, tracedUs, bareUs]) => (tracedUs - plainUs - bareUs) / spansOfRun)),
  bareUs: median(traced.map(([, , bareUs]) => bareUs / spansOfRun)),
};
process.stdout.write(`\n${JSON.stringify(figures)}\n`);

/**
 * Returns a timer of the CPU microseconds per run. Each sample ends by collecting its own garbage: left alone, the
 * collector would run every few samples, and charge one timer or the other.
 */
function timer(
  run: (sessionId: string) => Promise<unknown>,
  forget: (sessionId: string) => Promise<unknown> = async () => {},
): Timer {
  let sessions = 0;
  return async () => {
    const first = sessions + 1;
    sessions += runs;
    const started = process.cpuUsage();
    for (let n = first; n <= sessions; n += 1) await run(`s${n}`);
    const runUs = cpuMicros(started);
    for (let n = first; n <= sessions; n += 1) await forget(`s${n}`);
    const ended = process.cpuUsage();
    collect({ type: 'minor' });
    return (runUs + cpuMicros(ended)) / runs;
  };
}

/** Returns a timer of runs with ten pass-through plugins and the given ones. */
async function runTimer(plugins: readonly Plugin[]): Promise<Timer> {
  const store = memoryStore();
  const tool = defineTool({
    name: countTool.name,
    description: countTool.description,
    input: countTool.schema,
    execute: () => 'counted',
  });
  const agent = await createAgent({
    model,
    tools: [tool],
    plugins: [...plugins, ...passThrough(layers, 'layer')],
    store,
  });
  return timer(
    (sessionId) => agent.run('Count.', { sessionId }),
    (sessionId) => store.delete(sessionId),
  );
}

/** Returns plugins that do nothing in the hooks that telemetry taps. */
function passThrough(count: number, name: 'layer' | 'more'): Plugin[] {
  return Array.from({ length: count }, (_, index) =>
    definePlugin({
      name: `${name}-${index}`,
      setup({ hooks, aroundRun }) {
        if (name === 'more') aroundRun(async (_run, next) => await next());
        hooks.beforeModel.tap('pass', () => {});
        hooks.afterModel.tap('pass', () => {});
        hooks.wrapModelCall.tapPromise('pass', async (request, next) => await next(request));
        hooks.wrapToolCall.tapPromise('pass', async (call, next) => await next(call));
      },
    })(),
  );
}

/** Registers the real SDK without an exporter, because the time that one takes is not the plugin's. */
function registerSdk(): void {
  const nobody = { onStart() {}, onEnd() {}, forceFlush: async () => {}, shutdown: async () => {} };
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [nobody] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}
