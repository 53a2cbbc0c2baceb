import { createAgent, definePlugin, defineTool, type AgentOptions } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { registerTracing } from '../../test/tracing.ts';
import telemetry, { type TelemetryOptions } from '../index.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: ({ at }) => (at === 'nothing' ? Promise.reject(new Error('too dark')) : 'an onion'),
});

type Line = Record<string, unknown>;

/** The lines of one run, without what each has, and with times as 0. */
async function linesOf(
  logger: AgentOptions['log'],
  log: TelemetryOptions['log'],
  model = scriptedModel([
    {
      toolCalls: [{ name: 'look' }, { name: 'look', args: { at: 'nothing' } }],
      usage: { input: 9, output: 1, total: 10 },
    },
    { text: 'An onion.' },
  ]),
): Promise<Line[]> {
  const lines: string[] = [];
  const agent = await createAgent({
    model,
    tools: [look],
    ...(logger !== undefined && { log: logger }),
    logStream: { write: (line) => lines.push(line) },
    plugins: [telemetry({ otel: false, ...(log !== undefined && { log }) })],
  });
  await agent.run('What is it?', { sessionId: 's' }).catch(() => {});
  await agent.close();
  return lines.map(shown);
}

function shown(line: string): Line {
  const { time: _time, pid: _pid, hostname: _host, name: _name, ...rest } = JSON.parse(line) as Line;
  const { runId, callId, sessionId, plugin, ms, msg, ...others } = rest;
  const ids = [typeof runId, sessionId, plugin, typeof callId === 'string' ? 'a call' : 'no call'].join(' ');
  const time = ms === undefined ? {} : { ms: 0 };
  return { ids, ...others, ...time, msg: String(msg).replace(/\d+ ms/, '0 ms') };
}

const ofRun = { ids: 'string s telemetry no call' };
const ofCall = { ids: 'string s telemetry a call' };

describe('log lines', () => {
  it('are one for each run, step and tool call', async () => {
    const error = { type: 'Error', message: 'too dark' };
    expect(await linesOf('debug', undefined)).toEqual([
      { ...ofCall, level: 30, step: 1, tool: 'look', outcome: 'ok', ms: 0, msg: 'tool look: ok, 0 ms' },
      {
        ...ofCall,
        level: 40,
        step: 1,
        tool: 'look',
        outcome: 'failed',
        ms: 0,
        error,
        msg: 'tool look: failed, 0 ms',
      },
      {
        ...ofRun,
        level: 20,
        step: 1,
        ms: 0,
        model: 'test/scripted',
        attempts: 1,
        finish: 'tool-calls',
        inputTokens: 9,
        outputTokens: 1,
        msg: 'step 1: tool-calls, 0 ms',
      },
      {
        ...ofRun,
        level: 20,
        step: 2,
        ms: 0,
        model: 'test/scripted',
        attempts: 1,
        finish: 'stop',
        msg: 'step 2: stop, 0 ms',
      },
      {
        ...ofRun,
        level: 30,
        agent: 'agent',
        outcome: 'completed',
        stopReason: 'answer',
        steps: 2,
        toolCalls: 2,
        inputTokens: 9,
        outputTokens: 1,
        ms: 0,
        msg: 'run completed: 2 steps, 2 tool calls, 0 ms',
      },
    ]);
  });

  it('have the levels that are chosen, or are left out', async () => {
    const levels = (lines: Line[]): unknown[] =>
      lines.map(({ level, msg }) => `${String(level)} ${String(msg).slice(0, 4)}`);
    expect(levels(await linesOf('info', undefined))).toEqual(['30 tool', '40 tool', '30 run ']);
    expect(levels(await linesOf('info', { runs: false, steps: 'info', tools: false }))).toEqual([
      '30 step',
      '30 step',
    ]);
    expect(levels(await linesOf('info', false))).toEqual([]);
    expect(levels(await linesOf(undefined, undefined))).toEqual([]);
  });

  it('carry the ids of their spans while a tracer is registered', async () => {
    using tracing = registerTracing();
    const lines: string[] = [];
    const agent = await createAgent({
      model: scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'An onion.' }]),
      tools: [look],
      log: 'info',
      logStream: { write: (line) => lines.push(line) },
      plugins: [telemetry()],
    });
    await agent.run('What is it?');
    await agent.close();
    const spans = tracing.spans();
    const idsOf = (name: string): object => {
      const span = spans.find((each) => each.name.startsWith(name));
      return { trace_id: span?.traceId, span_id: span?.id, trace_flags: '01' };
    };
    expect(lines.map((line) => JSON.parse(line) as Line)).toMatchObject([
      idsOf('execute_tool'),
      idsOf('invoke_agent'),
    ]);
    expect(spans.length).toBeGreaterThan(3);
  });

  it('of a step carry the ids of its last model call', async () => {
    using tracing = registerTracing();
    const lines: string[] = [];
    const agent = await createAgent({
      model: scriptedModel([{ text: 'An onion.' }]),
      log: 'info',
      logStream: { write: (line) => lines.push(line) },
      plugins: [telemetry({ log: { runs: false, steps: 'info' } })],
    });
    await agent.run('What is it?');
    await agent.close();
    const chat = tracing.spans().find(({ name }) => name.startsWith('chat'));
    expect(lines.map((line) => JSON.parse(line) as Line)).toMatchObject([
      { step: 1, trace_id: chat?.traceId, span_id: chat?.id, trace_flags: '01' },
    ]);
  });

  it('of what is refused, and of a model that fails, are warnings', async () => {
    const lines: string[] = [];
    const agent = await createAgent({
      model: scriptedModel([{ toolCalls: [{ name: 'look' }] }, { error: new Error('no tea left') }]),
      tools: [look],
      log: 'debug',
      logStream: { write: (line) => lines.push(line) },
      plugins: [
        telemetry({ otel: false }),
        definePlugin({
          name: 'guard',
          setup: ({ hooks }) =>
            hooks.wrapToolCall.tap({ name: 'deny', gate: true }, () => ({
              content: [],
              isError: true,
              denied: { by: 'guard' },
            })),
        })(),
      ],
    });
    await agent.run('What is it?', { sessionId: 's' }).catch(() => {});
    await agent.close();
    expect(lines.map(shown)).toMatchObject([
      { level: 40, tool: 'look', outcome: 'denied' },
      { level: 20, step: 1, finish: 'tool-calls' },
      {
        level: 40,
        step: 2,
        error: { message: 'no tea left' },
        msg: 'step 2: the model failed, 0 ms',
      },
      { level: 50, outcome: 'failed' },
    ]);
  });

  it('of a step tell of its answer, not of what a plugin asks for itself', async () => {
    const lines: string[] = [];
    const agent = await createAgent({
      model: scriptedModel([
        { text: 'An onion.' },
        { text: 'Short.', usage: { input: 900, output: 9, total: 909 } },
      ]),
      log: 'debug',
      logStream: { write: (line) => lines.push(line) },
      plugins: [
        telemetry({ otel: false, log: { runs: false } }),
        definePlugin({
          name: 'summary',
          setup: ({ hooks, generate }) =>
            hooks.afterModel.tapPromise('sum', async (_, run) => {
              await generate(run, { messages: run.messages }, { purpose: 'summary' });
            }),
        })(),
      ],
    });
    await agent.run('What is it?', { sessionId: 's' });
    await agent.close();
    const [step] = lines.map(shown);
    expect(step).toMatchObject({ step: 1, finish: 'stop' });
    expect(step).not.toHaveProperty('inputTokens');
  });

  it('say that a run was resumed, and that a call waits for an answer', async () => {
    const lines: string[] = [];
    const asks = defineTool({
      name: 'ask',
      description: 'Asks.',
      input: { type: 'object' },
      execute: (_, { interrupt }) => interrupt({ kind: 'ok', payload: null, answer: { type: 'string' } }),
    });
    const agent = await createAgent({
      model: scriptedModel([{ toolCalls: [{ name: 'ask' }] }, { text: 'Done.' }]),
      tools: [asks],
      log: 'info',
      logStream: { write: (line) => lines.push(line) },
      plugins: [telemetry({ otel: false })],
    });
    const { interrupts } = await agent.run('Ask.', { sessionId: 's' });
    await agent.resume('s', Object.fromEntries(interrupts.map(({ id }) => [id, 'yes'])));
    await agent.close();
    const [waiting, paused, done, resumed] = lines.map(shown);
    expect([waiting, done]).toMatchObject([
      { level: 30, tool: 'ask', outcome: 'interrupted' },
      { level: 30, tool: 'ask', outcome: 'ok' },
    ]);
    expect(paused).toMatchObject({ level: 30, outcome: 'interrupted' });
    expect(paused).not.toHaveProperty('resumed');
    expect(resumed).toMatchObject({ outcome: 'completed', resumed: true });
  });

  it('carry no ids while none is', async () => {
    const lines: string[] = [];
    const agent = await createAgent({
      model: scriptedModel([{ text: 'An onion.' }]),
      log: 'debug',
      logStream: { write: (line) => lines.push(line) },
      plugins: [telemetry()],
    });
    await agent.run('What is it?');
    await agent.close();
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toMatch(/trace_|span_/);
  });

  it.each([[undefined], ['info' as const]])('tell of a run that fails at any level (%s)', async (logger) => {
    const failing = scriptedModel([{ error: new Error('no tea left') }]);
    expect((await linesOf(logger, undefined, failing)).at(-1)).toMatchObject({
      level: 50,
      outcome: 'failed',
      stopReason: 'model-error',
      error: { code: 'MODEL_FAILED' },
      msg: expect.stringMatching(/^run failed: MODEL_FAILED: .*no tea left/) as string,
    });
  });
});
