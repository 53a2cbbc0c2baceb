import { setTimeout as sleep } from 'node:timers/promises';

import { trace } from '@opentelemetry/api';
import { createAgent, definePlugin, defineTool } from '@shallot/core';
import { modelError, type ChatModel, type ModelResponse } from '@shallot/core/model';
import { afterEach, expect, it } from 'vitest';

import { retry } from '../test/retry.ts';
import { sdks, unregister, type FinishedSpan } from '../test/tracing.ts';
import telemetry from './index.ts';

afterEach(unregister);

const runs = 50;
const tools = ['look', 'smell', 'taste'];

/** Waits for a time that differs from call to call, so that runs overtake each other. */
let waits = 0;
function wait(): Promise<void> {
  waits = (waits * 7 + 3) % 11;
  return sleep(waits % 4);
}

/** Fails each second time it is asked something new, asks for three tools at first, and answers then. */
function busyModel(): ChatModel {
  const asked = new Set<string>();
  return {
    id: 'acme/busy',
    async generate({ messages, metadata }, { emit }) {
      await wait();
      trace
        .getTracer('client')
        .startSpan('POST', { attributes: { metadata: JSON.stringify(metadata) } })
        .end();
      const key = JSON.stringify([metadata, messages.map(({ id }) => id)]);
      if (!asked.has(key)) {
        asked.add(key);
        throw modelError('MODEL_OVERLOADED', { message: 'busy' });
      }
      const last = messages.at(-1);
      if (metadata?.['purpose'] !== undefined || last?.role === 'tool') {
        await emit({ type: 'text-delta', index: 0, text: 'Done.' });
        return { message: { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] }, finish: 'stop' };
      }
      return {
        message: {
          role: 'assistant',
          content: tools.map((name) => ({ type: 'tool-call', id: '', name, input: {} })),
        },
        finish: 'tool-calls',
      } satisfies ModelResponse;
    },
  };
}

const summary = definePlugin({
  name: 'summary',
  priority: 50,
  setup({ hooks, generate }) {
    hooks.beforeModel.tapPromise('sum', async (request, run) => {
      const { messages } = request;
      await generate(run, { messages, metadata: { purpose: 'summary' } }, { purpose: 'summary' });
    });
    hooks.wrapToolCall.tapPromise('judge', async (call, next, { run }) => {
      const messages = run.messages.slice(0, 1);
      await generate(
        run,
        { messages, metadata: { purpose: 'judge', callId: call.id } },
        { purpose: 'judge' },
      );
      return next(call);
    });
  },
})();

/** Lets two model calls through at once, whichever run they are of: those that wait go on in the context of another. */
function queue() {
  let free = 2;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return definePlugin({
    name: 'queue',
    priority: 34,
    setup: ({ hooks }) =>
      hooks.wrapModelCall.tap({ name: 'queue', internal: true }, (request, next) => {
        const { promise, resolve, reject } = Promise.withResolvers<ModelResponse>();
        const begin = (): void => {
          next(request).then(resolve, reject).finally(release);
        };
        if (free > 0) {
          free -= 1;
          begin();
        } else {
          waiting.push(begin);
        }
        return promise;
      }),
  })();
}

it.each(sdks.flatMap(([name, register]) => [false, true].map((insight) => ({ name, register, insight }))))(
  'has all parents right when 50 runs with tools, streams, retries and calls of plugins go on at once: $name, insight $insight',
  async ({ register, insight }) => {
    using tracing = register();
    const agent = await createAgent({
      name: 'cook',
      model: busyModel(),
      tools: tools.map((name) =>
        defineTool({
          name,
          description: '',
          input: { type: 'object' },
          async execute(_args, { call }) {
            await wait();
            trace
              .getTracer('client')
              .startSpan('GET', { attributes: { call: call.id } })
              .end();
            return 'an onion';
          },
        }),
      ),
      plugins: [telemetry({ insight }), summary, retry, queue()],
    });
    await Promise.all(
      Array.from({ length: runs }, async (_, index) => {
        const options = { sessionId: `s${index}` };
        if (index % 2 === 0) return agent.run('What is it?', options);
        const stream = agent.stream('What is it?', options);
        for await (const event of stream) void event;
        return stream.result;
      }),
    );
    await agent.close();
    const spans = tracing.spans();
    const byId = new Map(spans.map((span) => [span.id, span]));
    const problems = spans.flatMap((span) => problemsOf(span, byId));
    expect(problems).toEqual([]);
    const count = (name: string): number => spans.filter((span) => span.name === name).length;
    // Each of two steps asks for a summary and an answer, and each of three calls for a judgement; all of them twice.
    expect([
      count('invoke_agent cook'),
      count('chat busy'),
      count('execute_tool look'),
      count('GET'),
      count('POST'),
    ]).toEqual([runs, runs * 14, runs, runs * tools.length, runs * 14]);
  },
);

/** Returns the faults in a span's place. */
function problemsOf(span: FinishedSpan, byId: ReadonlyMap<string, FinishedSpan>): string[] {
  const parent = span.parentId === undefined ? undefined : byId.get(span.parentId);
  const around = outside(parent, byId);
  const session = span.attributes['gen_ai.conversation.id'];
  const [kind] = span.name.split(' ');
  const wrong = (what: string): string[] => [`${span.name} of ${String(session)}: ${what}`];
  if (kind === 'invoke_agent') return parent === undefined ? [] : wrong('it has a parent');
  if (parent === undefined) return wrong('it has no parent');
  if (span.traceId !== parent.traceId) return wrong('its parent is of another trace');
  if (kind === 'POST') return parent.name === 'chat busy' ? [] : wrong(`it is in ${parent.name}`);
  if (kind === 'GET') {
    const isRight = around?.attributes['gen_ai.tool.call.id'] === span.attributes['call'];
    return isRight ? [] : wrong(`it is in ${parent.name} of another call`);
  }
  if (kind === 'chat') {
    const wanted = span.attributes['shallot.purpose'] === 'judge' ? 'execute_tool' : 'invoke_agent';
    if (around?.name.startsWith(wanted) !== true) return wrong(`it is in ${around?.name ?? 'nothing'}`);
    return around.attributes['gen_ai.conversation.id'] === session ? [] : wrong('it is in another run');
  }
  if (kind === 'execute_tool')
    return around?.name === 'invoke_agent cook' ? [] : wrong(`it is in ${around?.name ?? 'nothing'}`);
  return [];
}

/** The next span outside that is not one of a layer. */
function outside(
  span: FinishedSpan | undefined,
  byId: ReadonlyMap<string, FinishedSpan>,
): FinishedSpan | undefined {
  if (span === undefined || !('shallot.layer.hook' in span.attributes)) return span;
  return outside(span.parentId === undefined ? undefined : byId.get(span.parentId), byId);
}
