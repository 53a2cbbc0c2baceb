import { setTimeout as sleep } from 'node:timers/promises';

import {
  createAgent,
  definePlugin,
  defineTool,
  withInstructions,
  type AgentOptions,
  type Logger,
  type Plugin,
} from '@shallot/core';
import { scriptedModel, type ScriptedStep } from '@shallot/testing';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { retry } from '../../test/retry.ts';
import { recordingSink } from '../../test/sink.ts';
import { registerTracing, spanNamed, treeOf, unregister } from '../../test/tracing.ts';
import telemetry, { type LayerActivity, type TelemetryOptions } from '../index.ts';

afterEach(unregister);

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object', properties: { at: { type: 'string' } } },
  execute: () => 'an onion',
});
const hidden = defineTool({
  name: 'hidden',
  description: 'Hidden.',
  input: { type: 'object' },
  execute: () => '',
});

/** Runs an agent with these plugins and insight, and gives a layer of each plugin and hook: the first that changed something. */
async function layersOf(
  plugins: readonly Plugin[],
  steps: readonly ScriptedStep[] = [{ text: 'Hi.' }],
  options: TelemetryOptions = {},
  rest: Partial<AgentOptions> = {},
): Promise<Map<string, LayerActivity>> {
  const sink = recordingSink();
  const agent = await createAgent({
    model: scriptedModel([...steps]),
    tools: [look, hidden],
    plugins: [telemetry({ insight: true, sinks: [sink], ...options }), ...plugins],
    ...rest,
  });
  await agent.run('Hello', { sessionId: 's' });
  await agent.close();
  const layers = sink.activities.filter((activity) => activity.kind === 'layer');
  const found = new Map<string, LayerActivity>();
  for (const layer of layers) {
    const name = `${layer.tap.plugin} ${layer.tap.hook}`;
    if (found.get(name)?.changes === undefined) found.set(name, layer);
  }
  return found;
}

describe('insight', () => {
  it('takes a question to a person for no failure', async () => {
    const asking = definePlugin({
      name: 'asking',
      setup({ hooks }) {
        hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, { interrupt }) => {
          await interrupt({ kind: 'question', payload: 'Really?', answer: { type: 'string' } });
          return next(call);
        });
      },
    })();
    const steps = [{ toolCalls: [{ name: 'look' }] }];
    const layers = await layersOf([asking], steps);
    expect(layers.get('asking wrapToolCall')).toMatchObject({ failure: undefined, calls: 0 });
  });

  it('shows each layer around what is inside of it, as spans too', async () => {
    using tracing = registerTracing();
    const outside = definePlugin({
      name: 'outside',
      priority: 95,
      wrapToolCall: (call, next) => next(call),
    })();
    const inside = definePlugin({
      name: 'inside',
      priority: 40,
      setup({ hooks, generate }) {
        hooks.wrapToolCall.tap('pass', (call, next) => next(call));
        hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, async (call, next, { run }) => {
          await generate(run, { messages: run.messages.slice(0, 1) }, { purpose: 'judge' });
          return next(call);
        });
        hooks.beforeModel.tap('look', () => {});
        hooks.afterAgent.tap('look', () => {});
      },
    })();
    await layersOf(
      [retry, outside, inside],
      [
        { error: new Error('busy') },
        { toolCalls: [{ name: 'look', args: {} }] },
        { text: 'Fine.' },
        { text: 'Done.' },
      ],
      {},
      { name: 'cook' },
    );
    expect(treeOf(tracing.spans())).toEqual([
      'invoke_agent cook',
      '  beforeModel inside',
      '  wrapModelCall retry',
      '    chat scripted',
      '    chat scripted',
      '  wrapToolCall outside',
      '    execute_tool look',
      '      wrapToolCall inside',
      '      wrapToolCall inside',
      '        wrapModelCall retry',
      '          chat scripted',
      '  beforeModel inside',
      '  wrapModelCall retry',
      '    chat scripted',
      '  afterAgent inside',
    ]);
  });

  it('keeps layers of calls that run at once apart', async () => {
    const sink = recordingSink();
    const slow = (name: string, priority: number): Plugin =>
      definePlugin({
        name,
        priority,
        async wrapToolCall(call, next) {
          await sleep(call.index === 0 ? 5 : 1);
          return next(call);
        },
      })();
    const agent = await createAgent({
      model: scriptedModel([
        { toolCalls: ['a', 'b', 'c'].map((id) => ({ id, name: 'look', args: {} })) },
        { text: 'Done.' },
      ]),
      tools: [look],
      plugins: [telemetry({ insight: true, sinks: [sink] }), slow('outer', 40), slow('inner', 30)],
    });
    await agent.run('Go.');
    await agent.close();
    const inner = sink.activities.filter((each) => each.kind === 'layer' && each.tap.plugin === 'inner');
    const ways = inner.map(({ parent }) => {
      const tool = parent?.parent;
      return [parent?.kind === 'layer' && parent.tap.plugin, tool?.kind === 'tool' && tool.call.id];
    });
    expect(ways).toHaveLength(3);
    expect(ways).toEqual(
      expect.arrayContaining([
        ['outer', 'a'],
        ['outer', 'b'],
        ['outer', 'c'],
      ]),
    );
  });

  it('tells the time that a layer takes itself, without what is inside', async () => {
    const layers = await layersOf([
      definePlugin({
        name: 'outer',
        priority: 40,
        async wrapModelCall(request, next) {
          await sleep(20);
          return next(request);
        },
      })(),
      definePlugin({
        name: 'inner',
        priority: 30,
        async wrapModelCall(request, next) {
          await sleep(200);
          return next(request);
        },
      })(),
    ]);
    const outer = layers.get('outer wrapModelCall');
    const inner = layers.get('inner wrapModelCall');
    expect(outer?.ownMs).toBeGreaterThan(15);
    expect(inner?.ownMs).toBeGreaterThan(190);
    // Whatever else the machine does: most of what the outer one took was not its own.
    expect(outer?.ownMs).toBeLessThan((outer?.endedAt ?? 0) - (outer?.startedAt ?? 0) - 150);
  });

  it('tells exactly how long a layer took itself, also one that tries again, or several times at once', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const pass = (ms: number): void => void vi.advanceTimersByTime(ms);
    const slow = definePlugin({
      name: 'slow',
      priority: 30,
      wrapToolCall(call, next) {
        pass(100);
        return next(call);
      },
    })();
    const trying = definePlugin({
      name: 'trying',
      priority: 40,
      async wrapToolCall(call, next) {
        await next(call);
        pass(7);
        return next(call);
      },
    })();
    const racing = definePlugin({
      name: 'racing',
      priority: 50,
      async wrapToolCall(call, next) {
        pass(3);
        const results = await Promise.all([next(call, { parallel: true }), next(call, { parallel: true })]);
        return results[0];
      },
    })();
    const layers = await layersOf(
      [slow, trying, racing],
      [{ toolCalls: [{ name: 'look' }] }, { text: 'Done.' }],
    );
    expect(layers.get('racing wrapToolCall')).toMatchObject({ ownMs: 3, calls: 2 });
    expect(layers.get('trying wrapToolCall')).toMatchObject({ calls: 2 });
  });

  it('says what was changed, without texts unless content is recorded', async () => {
    const change = (): Plugin[] => [
      withInstructions('Be short.'),
      definePlugin({
        name: 'change',
        beforeAgent: (run) => run.setInput([{ role: 'user', content: 'Hello there' }]),
        beforeModel: (request, run) =>
          run.step > 1
            ? undefined
            : {
                ...request,
                messages: [
                  {
                    id: 'x',
                    role: 'system',
                    source: 'change',
                    content: [{ type: 'text', text: 'You cook.' }],
                  },
                  ...request.messages,
                ],
                tools: request.tools?.filter(({ name }) => name !== 'hidden') ?? [],
                settings: { temperature: 1 },
              },
        async wrapToolCall(call, next) {
          const result = await next({ ...call, input: { at: 'y' } });
          return { ...result, content: [{ type: 'text', text: 'a secret' }] };
        },
        afterModel: (response) =>
          response.finish === 'stop'
            ? { ...response, message: { ...response.message, content: [{ type: 'text', text: 'Hi. Bye.' }] } }
            : undefined,
        afterAgent: (result) => ({ ...result, text: result.text.toUpperCase() }),
      })(),
    ];
    const steps = [{ toolCalls: [{ name: 'look', args: { at: 'x' } }] }, { text: 'Hi.' }];
    const seen = (layers: Map<string, LayerActivity>): unknown =>
      [...layers].map(([name, { changes }]) => `${name} ${JSON.stringify(changes)}`);
    expect(seen(await layersOf(change(), steps))).toMatchInlineSnapshot(`
      [
        "change beforeAgent {"request":{"messages":{"added":[{"at":0,"role":"user","length":11}],"removed":[{"at":0,"role":"user","length":5}]}}}",
        "change beforeModel {"request":{"messages":{"added":[{"at":0,"role":"system","source":"change","length":9}]},"tools":{"removed":["hidden"]},"settings":["temperature"]}}",
        "with-instructions wrapModelCall {"request":{"instructions":{"length":{"from":0,"to":9}}}}",
        "change afterModel {"response":{"text":{"length":{"from":3,"to":8}}}}",
        "change wrapToolCall {"request":{"arguments":["at"]},"response":{"text":{"length":{"from":8,"to":8}}}}",
        "change afterAgent {"response":{"text":{"length":{"from":8,"to":8}}}}",
      ]
    `);
    expect(seen(await layersOf(change(), steps, { content: true }))).toMatchInlineSnapshot(`
      [
        "change beforeAgent {"request":{"messages":{"added":[{"at":0,"role":"user","text":"Hello there"}],"removed":[{"at":0,"role":"user","text":"Hello"}]}}}",
        "change beforeModel {"request":{"messages":{"added":[{"at":0,"role":"system","source":"change","text":"You cook."}]},"tools":{"removed":["hidden"]},"settings":{"temperature":{"from":null,"to":1}}}}",
        "with-instructions wrapModelCall {"request":{"instructions":{"length":{"from":0,"to":9},"to":"Be short."}}}",
        "change afterModel {"response":{"text":{"length":{"from":3,"to":8},"appended":" Bye."}}}",
        "change wrapToolCall {"request":{"arguments":{"at":{"from":"x","to":"y"}}},"response":{"text":{"length":{"from":8,"to":8},"to":"a secret"}}}",
        "change afterAgent {"response":{"text":{"length":{"from":8,"to":8},"to":"HI. BYE."}}}",
      ]
    `);
  });

  it('says when a layer answered by itself, and when it changed nothing', async () => {
    const layers = await layersOf(
      [
        definePlugin({
          name: 'cache',
          priority: 30,
          wrapModelCall: () => ({
            message: { role: 'assistant', content: [{ type: 'text', text: 'Known.' }] },
            finish: 'stop',
          }),
        })(),
        definePlugin({ name: 'pass', priority: 40, wrapModelCall: (request, next) => next(request) })(),
      ],
      [],
    );
    expect(layers.get('cache wrapModelCall')).toMatchObject({ calls: 0, changes: undefined });
    expect(layers.get('pass wrapModelCall')).toMatchObject({ calls: 1, changes: undefined });
  });

  it('says which layer failed', async () => {
    using tracing = registerTracing();
    const broken = definePlugin({
      name: 'broken',
      wrapModelCall() {
        throw new TypeError('oh no');
      },
    })();
    await expect(layersOf([broken])).rejects.toThrow('oh no');
    expect(spanNamed(tracing.spans(), 'wrapModelCall broken').attributes).toMatchObject({
      'error.type': 'TypeError',
    });
  });

  it('counts a change that cannot be written as JSON as a loss, said once; the run does not notice', async () => {
    using tracing = registerTracing();
    const warnings: unknown[] = [];
    const log: Logger = {
      trace: () => {},
      debug: () => {},
      info: () => {},
      warn: (...args: unknown[]) => void warnings.push(args.at(-1)),
      error: () => {},
      fatal: () => {},
      child: () => log,
    };
    const circular: Record<string, never> = {};
    Object.assign(circular, { itself: circular });
    const broken = definePlugin({
      name: 'broken',
      beforeModel: (request) => ({
        ...request,
        settings: { provider: { acme: circular } },
      }),
    })();
    const layers = await layersOf(
      [broken],
      [{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'Done.' }],
      { content: true },
      { log, name: 'cook' },
    );
    expect(layers.get('broken beforeModel')).toMatchObject({ changes: undefined });
    expect(warnings).toEqual([expect.stringContaining('Telemetry is being lost: insight failed')]);
    expect(spanNamed(tracing.spans(), 'invoke_agent cook').attributes).toMatchObject({
      'shallot.run.outcome': 'completed',
    });
  });
});
