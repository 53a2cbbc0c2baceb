// A process of its own: `node telemetry.ts`.
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import {
  type ChatModel,
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  type ModelResponse,
  type Plugin,
} from '@shallot/core';
import { telemetry } from '@shallot/plugin-telemetry';

import { cpuMicros, median } from './measures/samples.ts';
import { countTool } from './script.ts';

const layers = 10;
const runs = 200;
const samples = 30;
/** The first ones are the compiler's. */
const warmup = 10;
/** Of a run with two model calls and one tool call: these and the run itself. */
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

const [plainUs, idleUs] = await compare([await runTimer([]), await runTimer([telemetry()])]);
const withoutSdk = await runTimer([]);
registerSdk();
const [againUs, sdkUs, bareUs] = await compare([withoutSdk, await runTimer([telemetry()]), timeBareSpans]);
const figures = {
  idleRatio: idleUs / plainUs,
  idleUs,
  plainUs,
  ownUs: (sdkUs - againUs) / spansOfRun - bareUs,
  bareUs,
};
process.stdout.write(`\n${JSON.stringify(figures)}\n`);

type Timer = () => Promise<number>;

/** The medians of some timers that take turns, so that a machine which is busy for a while slows all of them. */
async function compare<const T extends readonly Timer[]>(timers: T): Promise<{ [K in keyof T]: number }> {
  const times = timers.map((): number[] => []);
  for (let sample = 0; sample < warmup + samples; sample += 1) {
    for (const [index, timer] of timers.entries()) {
      const time = await timer();
      if (sample >= warmup) times[index]?.push(time);
    }
  }
  // One for each timer.
  return times.map(median) as { [K in keyof T]: number };
}

/** CPU microseconds of a run with ten pass-through plugins and these. */
async function runTimer(plugins: readonly Plugin[]): Promise<Timer> {
  const store = memoryStore();
  const tool = defineTool({
    name: countTool.name,
    description: countTool.description,
    input: countTool.schema,
    execute: () => 'counted',
  });
  const agent = await createAgent({ model, tools: [tool], plugins: [...plugins, ...passThrough()], store });
  let sessions = 0;
  return async () => {
    const first = sessions + 1;
    sessions += runs;
    const started = process.cpuUsage();
    for (let n = first; n <= sessions; n += 1) await agent.run('Count.', { session: `s${n}` });
    const us = cpuMicros(started) / runs;
    for (let n = first; n <= sessions; n += 1) await store.delete(`s${n}`);
    return us;
  };
}

function passThrough(): Plugin[] {
  return Array.from({ length: layers }, (_, index) =>
    definePlugin({
      name: `layer-${index}`,
      version: '1.0.0',
      api: '^1.0.0',
      setup({ hooks }) {
        hooks.beforeModel.tap('pass', () => {});
        hooks.afterModel.tap('pass', () => {});
        hooks.wrapModelCall.tapPromise('pass', async (request, next) => await next(request));
        hooks.wrapToolCall.tapPromise('pass', async (call, next) => await next(call));
      },
    })(),
  );
}

/** The real SDK, which hands its spans to nobody: what an exporter does with them is not ours. */
function registerSdk(): void {
  const nobody = { onStart() {}, onEnd() {}, forceFlush: async () => {}, shutdown: async () => {} };
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [nobody] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

/** CPU microseconds of a span that the SDK makes by itself, with as many attributes as ours have. */
async function timeBareSpans(): Promise<number> {
  const tracer = trace.getTracer('bench');
  const count = runs * spansOfRun;
  const started = process.cpuUsage();
  for (let n = 0; n < count; n += 1) {
    const span = tracer.startSpan('chat scripted', {
      attributes: { a: 'a', b: 'b', c: 'c', d: n, e: 'e', f: 'f' },
    });
    span.setAttributes({ g: 'g', h: ['h'], i: n, j: n });
    span.end();
  }
  return cpuMicros(started) / count;
}
