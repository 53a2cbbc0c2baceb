import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  textOf,
  type Agent,
  type AgentOptions,
  type Message,
  type RunInfo,
} from '@shallot/core';
import { modelError, type ChatModel } from '@shallot/core/model';
import { scriptedModel, testPlugin, type ScriptedStep } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import limits, { type LimitsOptions } from './index.ts';

await testPlugin(limits, {
  options: { modelCalls: { run: 50 } },
  manifest: new URL('../package.json', import.meta.url),
});

const look = defineTool({
  name: 'look',
  description: 'Looks at a hive.',
  input: { type: 'object' },
  effect: 'read',
  execute: () => 'a hive',
});
const smoke = defineTool({
  name: 'smoke',
  description: 'Calms the bees.',
  input: { type: 'object' },
  execute: () => 'calm',
});
const usage = { input: 90, output: 10, total: 100 };
const lookAgain: ScriptedStep = { toolCalls: [{ name: 'look' }], usage };
const done: ScriptedStep = { text: 'Done.', usage };

interface Bench {
  readonly steps: readonly ScriptedStep[];
  readonly rest?: Partial<AgentOptions>;
}

async function agentWith(options: LimitsOptions, { steps, rest = {} }: Bench) {
  const model = scriptedModel(steps);
  const { plugins = [], ...others } = rest;
  const agent = await createAgent({
    model,
    tools: [look, smoke],
    log: 'silent',
    ...others,
    plugins: [...plugins, limits(options)],
  });
  return { agent, model };
}

function results(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === 'tool' ? [`${message.name}: ${textOf(message)}`] : [],
  );
}

async function warningsOf(agent: Agent, input: string): Promise<string[]> {
  const found: string[] = [];
  for await (const event of agent.stream(input, { sessionId: 's' }))
    if (event.type === 'warning') found.push(`${event.code}: ${event.message}`);
  return found;
}

describe('a limit of model calls', () => {
  it('ends the run before the step that would pass it, with a reason and an answer that say so', async () => {
    const { agent, model } = await agentWith(
      { modelCalls: { run: 2 } },
      { steps: [lookAgain, lookAgain, done] },
    );
    const result = await agent.run('Go');
    expect(result).toMatchObject({ outcome: 'completed', stopReason: 'limit', steps: 3 });
    expect(result.text).toBe('The limit of 2 model calls for this run is reached.');
    expect(model.calls).toBe(2);
  });

  it('of a run begins anew with the next one, and that of a session goes on', async () => {
    const steps = [done, done, done, done];
    const ofRun = await agentWith({ modelCalls: { run: 1 } }, { steps });
    const ofSession = await agentWith({ modelCalls: { session: 3 } }, { steps });
    const reasons = async ({ agent }: { agent: Agent }): Promise<string[]> => {
      const found: string[] = [];
      for (const input of ['a', 'b', 'c', 'd'])
        found.push((await agent.run(input, { sessionId: 's' })).stopReason);
      return found;
    };
    expect(await reasons(ofRun)).toEqual(['answer', 'answer', 'answer', 'answer']);
    expect(await reasons(ofSession)).toEqual(['answer', 'answer', 'answer', 'limit']);
  });

  it('counts each attempt of a layer outside, and ends the run where the limit is', async () => {
    const stubborn = definePlugin({
      name: 'stubborn',
      priority: 36,
      async wrapModelCall(request, next) {
        for (;;) {
          try {
            return await next(request);
          } catch (error) {
            if (!(error as { transient?: boolean }).transient) throw error;
          }
        }
      },
    })();
    const busy = modelError('MODEL_OVERLOADED', { message: 'busy' });
    const steps = Array.from({ length: 9 }, () => ({ error: busy }));
    const rest = { plugins: [stubborn] };
    const { agent, model } = await agentWith({ modelCalls: { run: 3 } }, { steps, rest });
    expect(await agent.run('Go')).toMatchObject({ outcome: 'completed', stopReason: 'limit' });
    expect(model.calls).toBe(3);
    const throwing = await agentWith({ modelCalls: { run: 3, onLimit: 'throw' } }, { steps, rest });
    await expect(throwing.agent.run('Go')).rejects.toMatchObject({ code: 'LIMIT_REACHED', transient: false });
    expect(throwing.model.calls).toBe(3);
  });

  it("counts plugins' own calls, and refuses one beyond it by a named error", async () => {
    const errors: unknown[] = [];
    const asks = definePlugin({
      name: 'asks',
      setup({ hooks, generate }) {
        hooks.afterModel.tap('ask', async (_response, run) => {
          const request = { messages: run.messages };
          await generate(run, request, { purpose: 'judge' }).catch((error: unknown) => errors.push(error));
        });
      },
    })();
    const { agent, model } = await agentWith(
      { modelCalls: { run: 3 } },
      { steps: [lookAgain, done, lookAgain, done], rest: { plugins: [asks] } },
    );
    expect(await agent.run('Go')).toMatchObject({ stopReason: 'limit' });
    expect(model.calls).toBe(3);
    expect(errors).toMatchObject([{ code: 'LIMIT_REACHED', transient: false }]);
  });

  it('fails the run with throw', async () => {
    const { agent } = await agentWith(
      { modelCalls: { run: 1, onLimit: 'throw' } },
      { steps: [lookAgain, done] },
    );
    await expect(agent.run('Go')).rejects.toMatchObject({
      code: 'LIMIT_REACHED',
      plugin: 'limits',
      hook: 'beforeModel',
      message: expect.stringContaining('The limit of 1 model call for this run is reached.') as string,
    });
  });

  it('asks a person with ask, who grants more as often as it takes, or nothing', async () => {
    const { agent, model } = await agentWith(
      { modelCalls: { run: 1, onLimit: 'ask' } },
      { steps: [lookAgain, lookAgain, lookAgain, done] },
    );
    let result = await agent.run('Go', { sessionId: 's' });
    const asked: unknown[] = [];
    for (const more of [1, 1, 0]) {
      const [{ id, kind, payload } = { id: '', kind: '', payload: null }] = result.interrupts;
      asked.push([kind, payload]);
      result = await agent.resume('s', { [id]: more });
    }
    expect(asked[1]).toEqual([
      'limit',
      {
        message: 'The limit of 2 model calls for this run is reached.',
        limit: 'modelCalls',
        scope: 'run',
        used: 2,
        max: 2,
      },
    ]);
    expect(model.calls).toBe(3);
    expect(result).toMatchObject({ outcome: 'completed', stopReason: 'limit' });
  });
});

describe('a limit of tokens, cost or time', () => {
  it('is checked before each call: the last one may pass it', async () => {
    const steps = [lookAgain, lookAgain, lookAgain, done];
    const tokens = await agentWith({ tokens: { run: 150 } }, { steps });
    expect(await tokens.agent.run('Go')).toMatchObject({ stopReason: 'limit', usage: { total: 200 } });
    const prices = { 'test/scripted': { input: 1, output: 1 } };
    const cost = await agentWith({ cost: { run: 0.00025 }, prices }, { steps });
    const result = await cost.agent.run('Go');
    expect(result).toMatchObject({ stopReason: 'limit', usage: { total: 300 } });
    expect(result.text).toBe('The limit of 0.00025 US dollars for this run is reached.');
  });

  it('of cost needs a price of every model that is asked', async () => {
    const prices = { 'some/model': { input: 1, output: 1 } };
    await expect(agentWith({ cost: { run: 1 }, prices }, { steps: [] })).rejects.toMatchObject({
      code: 'limits/PRICE_UNKNOWN',
      message: expect.stringContaining('The model test/scripted has no price') as string,
    });
    await expect(agentWith({ cost: { run: 1 } }, { steps: [] })).rejects.toThrow('cost needs prices');
  });

  it('of cost refuses a model of another plugin that has no price, before the first run', async () => {
    const other = scriptedModel([], { id: 'test/other' });
    const asks = definePlugin({
      name: 'asks',
      async setup({ resolveModel }) {
        await resolveModel(other);
      },
    })();
    const prices = { 'test/scripted': { input: 1, output: 1 } };
    const rest = { plugins: [asks] };
    await expect(agentWith({ cost: { run: 1 }, prices }, { steps: [], rest })).rejects.toMatchObject({
      code: 'limits/PRICE_UNKNOWN',
      message: expect.stringContaining('The model test/other has no price') as string,
    });
  });

  it('of cost may have one price for all models that have none', async () => {
    const steps = [lookAgain, lookAgain, lookAgain, done];
    const unpriced = { input: 1, output: 1 };
    const { agent } = await agentWith({ cost: { run: 0.00015 }, unpriced }, { steps });
    expect(await agent.run('Go')).toMatchObject({ stopReason: 'limit', usage: { total: 200 } });
    // A price that is known goes before it.
    const prices = { 'test/scripted': { input: 0, output: 0 } };
    const free = await agentWith({ cost: { run: 0.00015 }, unpriced, prices }, { steps });
    expect(await free.agent.run('Go')).toMatchObject({ stopReason: 'answer' });
  });

  describe('and a model that reports no usage', () => {
    const silent: ScriptedStep = { text: 'word '.repeat(100), toolCalls: [{ name: 'look' }] };
    const steps = [silent, silent, silent, silent, silent, silent];
    const prices = { 'test/scripted': { input: 1000, output: 1000 } };

    it('warns once of a limit of the provider that is nearly reached', async () => {
      const rateLimits = {
        requests: { limit: 100, remaining: 3, resetsAt: Date.parse('2026-11-23T10:00:00Z') },
        inputTokens: { limit: 1000, remaining: 900 },
      };
      const scripted = scriptedModel(steps);
      const model: ChatModel = {
        id: 'acme/large',
        generate: async (request, call) => ({
          ...(await scripted.generate(request, call)),
          metadata: { rateLimits },
        }),
      };
      await using agent = await createAgent({
        model,
        tools: [look],
        plugins: [limits({ modelCalls: { run: 3 } })],
        log: 'silent',
      });
      expect((await warningsOf(agent, 'Go')).filter((each) => each.includes('RATE_LIMIT'))).toEqual([
        'limits/RATE_LIMIT_NEAR: The provider of acme/large has 3 of 100 requests left for this account, until 2026-11-23T10:00:00.000Z. Calls beyond that are refused.',
      ]);
    });

    it.each<[string, LimitsOptions]>([
      ['tokens', { tokens: { run: 200 } }],
      ['cost', { cost: { run: 0.2 }, prices }],
    ])('counts %s by an estimate, and says so once in a session', async (_, options) => {
      const { agent, model } = await agentWith({ ...options, warnAt: false }, { steps });
      const warnings = [...(await warningsOf(agent, 'Go')), ...(await warningsOf(agent, 'Go'))];
      expect(model.calls).toBeLessThan(6);
      expect(warnings).toEqual([
        'limits/USAGE_ESTIMATED: The model test/scripted reports no token usage, so its calls are counted by an estimate.',
      ]);
    });

    it('is counted as it is when it reports zeros', async () => {
      const zeros = { ...silent, usage: { input: 0, output: 0, total: 0 } };
      const { agent } = await agentWith({ tokens: { run: 200 } }, { steps: [zeros, zeros, zeros, zeros] });
      expect(await agent.run('Go')).toMatchObject({ stopReason: 'limit' });
    });

    it('is counted by estimate for an attempt that broke off', async () => {
      const broken: ScriptedStep = { chunks: ['Hal'], end: 'broken' };
      const again = definePlugin({
        name: 'again',
        priority: 36,
        async wrapModelCall(request, next) {
          try {
            return await next(request);
          } catch {
            return next(request);
          }
        },
      })();
      const { agent, model } = await agentWith(
        { tokens: { run: 500 } },
        { steps: [broken, lookAgain, done], rest: { plugins: [again] } },
      );
      const stream = agent.stream('word '.repeat(480));
      for await (const _ of stream);
      expect(model.calls).toBe(1);
      expect(await stream.result).toMatchObject({
        stopReason: 'limit',
        text: 'The limit of 500 tokens for this run is reached.',
      });
    });
  });

  it('of time is known to layers that wait', async () => {
    let timeLeft: ((run: RunInfo) => number) | undefined;
    const left: number[] = [];
    const waits = definePlugin({
      name: 'waits',
      setup: ({ onReady }) =>
        onReady((agent) => {
          timeLeft = agent.timeLeft;
        }),
      beforeModel: (_, run) => void left.push(timeLeft?.(run) ?? Number.NaN),
    })();
    const { agent } = await agentWith(
      { timeMs: { run: 5000, session: 60_000 } },
      { steps: [lookAgain, done], rest: { plugins: [waits] } },
    );
    await agent.run('Go');
    const [first = 0, second = 0] = left;
    expect(first).toBeLessThanOrEqual(5000);
    expect(first).toBeGreaterThan(0);
    expect(second).toBeLessThanOrEqual(first);
  });

  it('of time stops before the next step', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const slow = defineTool({
      name: 'slow',
      description: 'Takes its time.',
      input: { type: 'object' },
      execute: () => promise,
    });
    const { agent } = await agentWith(
      { timeMs: { run: 40 } },
      { steps: [{ toolCalls: [{ name: 'slow' }] }, done], rest: { tools: [slow] } },
    );
    const running = agent.run('Go');
    setTimeout(() => resolve('done'), 80);
    expect(await running).toMatchObject({ outcome: 'completed', stopReason: 'limit', steps: 2 });
  });
});

describe('a limit of tool calls', () => {
  const threeCalls: ScriptedStep = { toolCalls: [{ name: 'look' }, { name: 'look' }, { name: 'smoke' }] };

  it('tells the model by default, and lets it go on', async () => {
    const { agent } = await agentWith({ toolCalls: { run: 1 } }, { steps: [threeCalls, done] });
    const { messages, stopReason } = await agent.run('Go');
    const refused =
      'The limit of 1 tool call for this run is reached. The call was not executed; go on without it.';
    expect(results(messages)).toEqual(['look: a hive', `look: ${refused}`, `smoke: ${refused}`]);
    expect(stopReason).toBe('answer');
  });

  it('may be by name or pattern, beside the total', async () => {
    const toolCalls = { run: 2, tools: { look: { run: 1 }, 'smo*': { run: 1, onLimit: 'end' as const } } };
    const { agent } = await agentWith({ toolCalls }, { steps: [threeCalls, done] });
    const { messages } = await agent.run('Go');
    expect(results(messages)).toEqual([
      'look: a hive',
      'look: The limit of 1 call of "look" for this run is reached. The call was not executed; go on without it.',
      'smoke: calm',
    ]);
  });

  it('is exact when eight calls run at once', async () => {
    const eight: ScriptedStep = { toolCalls: Array.from({ length: 8 }, () => ({ name: 'look' })) };
    const { agent } = await agentWith({ toolCalls: { session: 11 } }, { steps: [eight, eight, done] });
    const { messages } = await agent.run('Go');
    expect(results(messages).filter((text) => text === 'look: a hive')).toHaveLength(11);
  });

  it('ends the run with end', async () => {
    const { agent } = await agentWith(
      { toolCalls: { run: 1, onLimit: 'end' } },
      { steps: [threeCalls, done] },
    );
    expect(await agent.run('Go')).toMatchObject({
      stopReason: 'limit',
      text: 'The limit of 1 tool call for this run is reached.',
    });
  });

  it('stays ended when the run is aborted during another call and resumed', async () => {
    const stop = new AbortController();
    const slow = defineTool({
      name: 'slow',
      description: 'Takes its time.',
      input: { type: 'object' },
      execute: () => new Promise<string>(() => setTimeout(() => stop.abort(), 10)),
    });
    const steps = [{ toolCalls: [{ name: 'slow' }, { name: 'look' }, { name: 'look' }] }, done];
    const { agent, model } = await agentWith(
      { toolCalls: { run: 1, onLimit: 'end' } },
      { steps, rest: { tools: [slow, look] } },
    );
    await expect(agent.run('Go', { sessionId: 's', signal: stop.signal })).rejects.toMatchObject({
      code: 'RUN_ABORTED',
    });
    expect(await agent.resume('s')).toMatchObject({ outcome: 'completed', stopReason: 'limit' });
    expect(model.calls).toBe(1);
    expect(results((await agent.session('s'))?.messages ?? [])).toEqual([
      expect.stringContaining('slow: It is not known whether this call took effect'),
      expect.stringContaining('look: The limit of 1 tool call'),
      expect.stringContaining('look: '),
    ]);
  });

  it('counts a call once that waits for an answer and is entered again', async () => {
    const asks = defineTool({
      name: 'ask',
      description: 'Asks.',
      input: { type: 'object' },
      execute: (_args, { interrupt }) =>
        interrupt({ kind: 'question', payload: 'Well?', answer: { type: 'string' } }),
    });
    const steps = [{ toolCalls: [{ name: 'ask' }] }, { toolCalls: [{ name: 'ask' }] }, done];
    const { agent } = await agentWith({ toolCalls: { run: 2 } }, { steps, rest: { tools: [asks] } });
    let result = await agent.run('Go', { sessionId: 's' });
    while (result.outcome === 'interrupted')
      result = await agent.resume('s', { [result.interrupts[0]?.id ?? '']: 'yes' });
    expect(results((await agent.session('s'))?.messages ?? [])).toEqual(['ask: yes', 'ask: yes']);
  });

  it('asks for more around the call, which a grant lets through', async () => {
    const { agent } = await agentWith(
      { toolCalls: { run: 1, onLimit: 'ask' } },
      { steps: [threeCalls, done] },
    );
    const waiting = await agent.run('Go', { sessionId: 's' });
    expect(waiting.interrupts).toHaveLength(2);
    const answers = Object.fromEntries(waiting.interrupts.map(({ id }, index) => [id, index === 0 ? 1 : 0]));
    const { messages } = await agent.resume('s', answers);
    const said = results(messages);
    expect(said.filter((text) => !text.includes('is reached'))).toHaveLength(2);
  });

  it('is exact over two agents that take turns on one session', async () => {
    const store = memoryStore();
    const executed: string[] = [];
    const counts = defineTool({
      name: 'count',
      description: 'Counts.',
      input: { type: 'object' },
      execute: (_args, { call }) => void executed.push(call.id),
    });
    const one = { toolCalls: [{ name: 'count' }] };
    const agents = await Promise.all(
      ['a', 'b'].map(() =>
        agentWith(
          { toolCalls: { session: 5 } },
          { steps: [one, one, done, one, one, done], rest: { store, tools: [counts] } },
        ),
      ),
    );
    for (const { agent } of [...agents, ...agents]) await agent.run('Go', { sessionId: 's' });
    expect(executed).toHaveLength(5);
  });
});

describe('a limit of 0', () => {
  it('lets nothing through', async () => {
    const tools = await agentWith(
      { toolCalls: { tools: { look: { run: 0 } } } },
      { steps: [lookAgain, done] },
    );
    const { messages, stopReason } = await tools.agent.run('Go');
    expect([results(messages), stopReason]).toEqual([
      [
        'look: The limit of 0 calls of "look" for this run is reached. The call was not executed; go on without it.',
      ],
      'answer',
    ]);
    for (const what of ['modelCalls', 'tokens', 'timeMs'] as const) {
      const { agent, model } = await agentWith({ [what]: { run: 0 } }, { steps: [done] });
      expect((await agent.run('Go')).stopReason).toBe('limit');
      expect(model.calls).toBe(0);
    }
  });
});

describe('a warning', () => {
  it('is given once, at a share of the limit', async () => {
    const steps = [lookAgain, lookAgain, lookAgain, done];
    const { agent } = await agentWith({ modelCalls: { run: 6 }, warnAt: 0.5 }, { steps });
    expect(await warningsOf(agent, 'Go')).toEqual([
      'limits/LIMIT_NEAR: 3 model calls of at most 6 model calls for this run are used.',
    ]);
    const silent = await agentWith({ modelCalls: { run: 6 }, warnAt: false }, { steps });
    expect(await warningsOf(silent.agent, 'Go')).toEqual([]);
  });
});

describe('options', () => {
  const wrong: [string, LimitsOptions, RegExp][] = [
    ['none at all', {}, /the options set no limit/],
    ['a limit of nothing', { tokens: {} }, /tokens: it says neither run nor session/],
    [
      'a negative one',
      { modelCalls: { run: -1 } },
      /modelCalls\.run: it is -1; write a whole number of at least 0/,
    ],
    ['NaN', { tokens: { run: Number.NaN } }, /tokens\.run: it is NaN/],
    ['an infinite one', { timeMs: { run: Number.POSITIVE_INFINITY } }, /timeMs\.run: it is Infinity/],
    [
      'a run with more than its session',
      { tokens: { run: 9, session: 3 } },
      /tokens\.run: it is 9, which is more/,
    ],
    ['a tool limit of nothing', { toolCalls: {} }, /toolCalls: it says neither run nor session/],
    ['cost without prices', { cost: { run: 1 } }, /cost needs prices/],
    [
      'result for model calls',
      { modelCalls: { run: 1, onLimit: 'result' as never } },
      /onLimit: it is "result"/,
    ],
    ['a tool that does not exist', { toolCalls: { tools: { lok: { run: 1 } } } }, /Did you mean "look"\?/],
  ];
  it.each(wrong)('are refused: %s', async (_, options, message) => {
    await expect(agentWith(options, { steps: [] })).rejects.toThrow(message);
  });
});
