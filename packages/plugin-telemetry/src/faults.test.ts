import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { trace, type Tracer, type TracerProvider as TracerProviderApi } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  BatchSpanProcessor,
  SimpleSpanProcessor,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { createAgent, defineTool, type Agent, type Logger, type RunResult } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { afterEach, describe, expect, it } from 'vitest';

import { recordingSink } from '../test/sink.ts';
import { unregister } from '../test/tracing.ts';
import telemetry, { type RunSink, type Sink, type TelemetryOptions } from './index.ts';

afterEach(unregister);

/** A logger that keeps the warnings and what is said at the end. */
function keepingLogger(): Logger & { readonly warnings: string[]; readonly infos: string[] } {
  const warnings: string[] = [];
  const infos: string[] = [];
  const keepIn =
    (list: string[]) =>
    (...args: readonly unknown[]) =>
      void list.push(String(args.at(-1)));
  const silent = (): void => {};
  const logger = {
    warnings,
    infos,
    trace: silent,
    debug: silent,
    info: keepIn(infos),
    warn: keepIn(warnings),
    error: silent,
    fatal: silent,
    child: () => logger,
  };
  return logger;
}

/** A run with a step of tools, streamed: all kinds of activities are in it. */
async function runWith(
  options: TelemetryOptions,
  logger = keepingLogger(),
): Promise<{ result: RunResult; logger: typeof logger }> {
  const agent: Agent = await createAgent({
    name: 'cook',
    model: scriptedModel([{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'An onion.' }]),
    tools: [defineTool({ name: 'look', description: '', input: { type: 'object' }, execute: () => 'seen' })],
    plugins: [telemetry({ insight: true, ...options })],
    log: logger,
  });
  const stream = agent.stream('What is it?');
  for await (const event of stream) void event;
  const result = await stream.result;
  await agent.close();
  return { result, logger };
}

const unaffected = { outcome: 'completed', text: 'An onion.', steps: 2, errors: [] };

function throwing(): never {
  throw new Error('no more');
}

/** The method of a sink whose author wrote it with `async`. */
async function rejecting(): Promise<never> {
  await Promise.resolve();
  throw new Error('no more');
}

describe('a sink that throws', () => {
  const runSink: RunSink = { started: throwing, noted: throwing, ended: throwing, within: throwing };
  // A method of this type may be written with `async`.
  const late = rejecting as () => never;
  const lateSink: RunSink = { started: late, noted: late, ended: late, within: late };

  it.each<[string, Sink]>([
    ['when it is asked whether it wants a run', { name: 'broken', observe: throwing }],
    ['whatever it is told', { name: 'broken', observe: () => runSink }],
    ['by a rejection, whatever it is told', { name: 'broken', observe: () => lateSink }],
    ['by a rejection, when it is asked', { name: 'broken', observe: late }],
  ])('%s does not affect the run, and is said once', async (_, sink) => {
    const others = recordingSink();
    const { result, logger } = await runWith({ sinks: [sink, others] });
    expect(result).toMatchObject(unaffected);
    expect(logger.warnings).toEqual([
      expect.stringContaining('Telemetry is being lost: broken failed with: no more'),
    ]);
    // The other sinks are still called.
    expect(others.lines.at(-1)).toBe('- run');
  });

  it.each<[string, NonNullable<RunSink['within']>]>([
    [
      'throws after it has run the work',
      (_, work) => {
        void work();
        return throwing();
      },
    ],
    ['runs the work twice, and gives something else', (_, work) => (work(), work(), undefined as never)],
    ['does not run the work', () => undefined as never],
    [
      'waits before it runs the work',
      (async (_: unknown, work: () => unknown) => (await Promise.resolve(), work())) as never,
    ],
  ])('and %s leaves the run as it is', async (_, within) => {
    const { result } = await runWith({
      sinks: [{ name: 'broken', observe: () => ({ within }) }, recordingSink()],
    });
    expect(result).toMatchObject(unaffected);
  });

  it('has lost nothing when the run fails inside of it', async () => {
    const within = (async (_: unknown, work: () => unknown) => work()) as never;
    const logger = keepingLogger();
    const agent = await createAgent({
      model: scriptedModel([{ error: new Error('busy') }]),
      plugins: [telemetry({ sinks: [{ name: 'async', observe: () => ({ within }) }] })],
      log: logger,
    });
    await expect(agent.run('Hello')).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    await agent.close();
    expect(logger.warnings.filter((line) => line.includes('is being lost'))).toEqual([]);
  });

  it('is counted, and the count is said when the agent is closed', async () => {
    const { logger } = await runWith({ sinks: [{ name: 'broken', observe: () => ({ ended: throwing }) }] });
    // Two steps with a model call each, a tool call, and the run.
    expect(logger.infos.at(-1)).toBe('Telemetry was lost: broken failed 6 times.');
  });

  it('when it is closed is a loss like another', async () => {
    const sink: Sink = {
      name: 'broken',
      observe: () => undefined,
      close: () => Promise.reject(new Error('full')),
    };
    const { result, logger } = await runWith({ sinks: [sink] });
    expect(result).toMatchObject(unaffected);
    expect(logger.warnings).toEqual([expect.stringContaining('broken failed with: full')]);
  });
});

describe('an SDK', () => {
  it('that throws when a span is started does not affect the run', async () => {
    const broken: Tracer = { startSpan: throwing, startActiveSpan: throwing };
    const provider: TracerProviderApi = { getTracer: () => broken };
    trace.setGlobalTracerProvider(provider);
    const { result, logger } = await runWith({});
    expect(result).toMatchObject(unaffected);
    expect(logger.warnings).toEqual([expect.stringContaining('OpenTelemetry spans failed with: no more')]);
  });

  it('that throws when a span inside of another is started loses only that one', async () => {
    const spans: string[] = [];
    const real = new TracerProvider({
      spanProcessors: [
        {
          onStart: (span) => {
            if (span.name.startsWith('execute_tool')) throw new Error('no tools');
          },
          onEnd: ({ name }) => void spans.push(name),
          forceFlush: async () => {},
          shutdown: async () => {},
        },
      ],
    });
    trace.setGlobalTracerProvider(real);
    const { result } = await runWith({});
    expect(result).toMatchObject(unaffected);
    expect(spans).toEqual(expect.arrayContaining(['chat scripted', 'invoke_agent cook']));
  });

  const exporters: readonly [string, SpanExporter][] = [
    ['throws', { export: throwing, shutdown: async () => {} }],
    ['is down', new OTLPTraceExporter({ url: 'http://127.0.0.1:1/v1/traces', timeoutMillis: 100 })],
    ['hangs', { export: () => {}, shutdown: async () => {} }],
  ];
  it.each(exporters)('whose exporter %s does not affect the run', async (_, exporter) => {
    const processors = [
      new SimpleSpanProcessor({ exporter }),
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1, exportTimeoutMillis: 50 }),
    ];
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: processors }));
    const { result } = await runWith({});
    expect(result).toMatchObject(unaffected);
  });

  it('whose collector does not answer does not affect the run', async () => {
    await using server = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${port}/v1/traces`, timeoutMillis: 100 });
    trace.setGlobalTracerProvider(
      new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
    );
    const { result } = await runWith({});
    server.closeAllConnections();
    expect(result).toMatchObject(unaffected);
  });
});

it('works where @opentelemetry/api is not installed', () => {
  const here = dirname(fileURLToPath(import.meta.url));
  const project = mkdtempSync(join(tmpdir(), 'shallot-no-otel-'));
  try {
    for (const folder of ['src', 'test'])
      cpSync(join(here, '..', folder), join(project, 'telemetry', folder), { recursive: true });
    cpSync(join(here, '..', 'package.json'), join(project, 'telemetry', 'package.json'));
    mkdirSync(join(project, 'node_modules', '@shallot'), { recursive: true });
    symlinkSync(join(here, '..', '..', 'core'), join(project, 'node_modules', '@shallot', 'core'), 'dir');
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(project, 'main.ts'), program);
    const { stdout, stderr, status } = spawnSync(process.execPath, ['main.ts'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect({ status, stderr, stdout }).toEqual({
      status: 0,
      stderr: '',
      stdout: 'installed: false\n- run\nHi.\n',
    });
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
});

const program = `
import { createAgent } from '@shallot/core';
import telemetry from './telemetry/src/index.ts';
import { recordingSink } from './telemetry/test/sink.ts';

console.log('installed:', await import('@opentelemetry/api').then(() => true, () => false));
const sink = recordingSink();
const model = {
  id: 'test/one',
  generate: async () => ({ message: { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] }, finish: 'stop' }),
};
const agent = await createAgent({ model, plugins: [telemetry({ sinks: [sink], insight: true })] });
const { text } = await agent.run('Hello');
await agent.close();
console.log(sink.lines.at(-1));
console.log(text);
`;
