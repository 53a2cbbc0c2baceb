import { createHook } from 'node:async_hooks';

import { INVALID_SPAN_CONTEXT, trace, type Tracer } from '@opentelemetry/api';
import { createAgent, definePlugin, defineTool, type Plugin } from '@shallot/core';
import { scriptedModel, testPlugin } from '@shallot/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import { retry } from '../test/retry.ts';
import { recordingSink } from '../test/sink.ts';
import telemetry from './index.ts';

await testPlugin(telemetry, {
  options: { sinks: [recordingSink()] },
  manifest: new URL('../package.json', import.meta.url),
});

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => 'an onion',
});

describe('what is observed', () => {
  it('is a run with its steps, model calls and tool calls', async () => {
    const sink = recordingSink();
    const agent = await createAgent({
      model: scriptedModel([{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'An onion.' }]),
      tools: [look],
      plugins: [telemetry({ sinks: [sink] })],
    });
    await agent.run('What is it?');
    await agent.close();
    expect(sink.lines).toMatchInlineSnapshot(`
      [
        "+ run",
        "  + step 1",
        "    + model test/scripted #1",
        "    - model test/scripted #1",
        "    + tool look",
        "    - tool look",
        "  - step 1",
        "  + step 2",
        "    + model test/scripted #1",
        "    - model test/scripted #1",
        "  - step 2",
        "- run",
      ]
    `);
  });

  it('shows each retry, and the calls that plugins make for themselves', async () => {
    const sink = recordingSink();
    const summary = definePlugin({
      name: 'summary',
      setup: ({ hooks, generate }) =>
        hooks.beforeModel.tapPromise('sum', async (request, run) => {
          await generate(run, { messages: request.messages }, { purpose: 'summary' });
        }),
    })();
    const agent = await createAgent({
      model: scriptedModel([
        { error: new Error('busy') },
        { text: 'Short.' },
        { error: new Error('busy') },
        { text: 'Hi.' },
      ]),
      plugins: [telemetry({ sinks: [sink] }), retry, summary],
    });
    await agent.run('Hello');
    await agent.close();
    expect(sink.lines).toMatchInlineSnapshot(`
      [
        "+ run",
        "  + step 1",
        "    + model test/scripted summary #1",
        "    - model test/scripted summary #1",
        "    + model test/scripted summary #2",
        "    - model test/scripted summary #2",
        "    + model test/scripted #1",
        "    - model test/scripted #1",
        "    + model test/scripted #2",
        "    - model test/scripted #2",
        "  - step 1",
        "- run",
      ]
    `);
  });

  it('is nothing when no sink wants the run', async () => {
    const asked: string[] = [];
    const agent = await createAgent({
      model: scriptedModel([{ text: 'Hi.' }]),
      plugins: [
        telemetry({ sinks: [{ name: 'none', observe: (run) => void asked.push(run.info.sessionId) }] }),
      ],
    });
    const { sessionId } = await agent.run('Hello');
    await agent.close();
    expect(asked).toEqual([sessionId]);
  });

  it('costs one span and no more where the registered provider makes spans that are none', async () => {
    let spans = 0;
    const none = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
    const tracer: Tracer = {
      startSpan: () => ((spans += 1), none),
      startActiveSpan: () => {
        throw new Error('not used');
      },
    };
    trace.setGlobalTracerProvider({ getTracer: () => tracer });
    onTestFinished(() => trace.disable());
    const agent = await createAgent({
      model: scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'Done.' }, { text: 'Again.' }]),
      tools: [look],
      plugins: [telemetry()],
    });
    await agent.run('Look.');
    await agent.run('Once more.');
    await agent.close();
    expect(spans).toBe(1);
  });

  it('costs no more promises than a plugin that does nothing, while nobody listens', async () => {
    const idle = definePlugin({
      name: 'idle',
      setup({ hooks, aroundRun }) {
        aroundRun(async (_, next) => await next());
        hooks.beforeModel.tap('pass', () => {});
        hooks.wrapModelCall.tapPromise('pass', async (request, next) => await next(request));
        hooks.wrapToolCall.tapPromise('pass', async (call, next) => await next(call));
      },
    })();
    const ours = await promisesWith(telemetry());
    expect(ours).toBeGreaterThan(0);
    expect(ours).toBeLessThanOrEqual(await promisesWith(idle));
  });
});

/** Counts the promises that a run makes with a plugin beyond those that it makes without. */
async function promisesWith(plugin: Plugin): Promise<number> {
  return (await promisesOf([plugin])) - (await promisesOf([]));
}

async function promisesOf(plugins: readonly Plugin[]): Promise<number> {
  await using agent = await createAgent({
    model: scriptedModel([
      { toolCalls: [{ name: 'look' }] },
      { text: 'Done.' },
      { toolCalls: [{ name: 'look' }] },
      { text: 'Again.' },
    ]),
    tools: [look],
    plugins,
  });
  // Objects made at first use are not counted.
  await agent.run('Look.');
  let made = 0;
  const counting = createHook({ init: (_, type) => void (type === 'PROMISE' && (made += 1)) }).enable();
  await agent.run('Once more.');
  counting.disable();
  return made;
}
