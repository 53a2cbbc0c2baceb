import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { isShallotError } from '../base/errors.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Run } from '../contract/hooks.ts';
import type { RunResult } from '../contract/result.ts';
import type { RunInfo } from '../contract/run-info.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object' },
  execute: () => ({ kind: 'onion' }),
});
const fail = defineTool({
  name: 'fail',
  description: 'Fails.',
  input: { type: 'object' },
  execute: () => {
    throw new Error('no');
  },
});
const usage = { input: 1, output: 1, total: 2 };
const steps: ScriptedStep[] = [
  { text: 'Let me see.', toolCalls: [{ name: 'look', args: { at: ['x'] } }, { name: 'fail' }], usage },
  { text: 'An onion.', usage },
];

const ofRun = ({ messages, newMessages, usage: used }: RunInfo): Readonly<Record<string, unknown>> => ({
  messages,
  newMessages,
  used,
});

/** The paths of the plain objects and arrays in a value that somebody could write to. */
function writable(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return [];
  const inside = Object.entries(value).flatMap(([key, member]) => writable(member, `${path}.${key}`));
  return Object.isFrozen(value) ? inside : [path, ...inside];
}

/** The members of a run that plugins see, as its type has them. */
const runMembers: Readonly<Record<keyof Run, true>> = {
  address: true,
  agent: true,
  again: true,
  context: true,
  end: true,
  event: true,
  files: true,
  id: true,
  interrupt: true,
  log: true,
  maxSteps: true,
  messages: true,
  newMessages: true,
  once: true,
  parent: true,
  resumed: true,
  sessionId: true,
  setInput: true,
  signal: true,
  step: true,
  traceparent: true,
  usage: true,
  warn: true,
};

describe('what a hook gets', () => {
  it('has of the run no more than its type says', async () => {
    const found = new Set<PropertyKey>();
    const looks = definePlugin({
      name: 'looks',
      beforeAgent(run) {
        const own: object = Object.getPrototypeOf(run) as object;
        for (const each of [run, own]) for (const key of Reflect.ownKeys(each)) found.add(key);
      },
    });
    const agent = await createAgent({ model: scriptedModel([{ text: 'ok' }]), plugins: [looks()] });
    await agent.run('Hi.');
    found.delete('constructor');
    expect([...found].map(String).toSorted()).toEqual(Object.keys(runMembers).toSorted());
  });

  it('is frozen, all the way down', async () => {
    const found = new Set<string>();
    const seen: string[] = [];
    const check = (hook: string, given: Readonly<Record<string, unknown>>): void => {
      seen.push(hook);
      for (const [name, value] of Object.entries(given)) {
        for (const path of writable(value, `${hook}: ${name}`)) found.add(path);
      }
    };
    const watching = definePlugin({
      name: 'watching',
      priority: 80,
      setup({ hooks, state }) {
        const count = state<{ steps: number[] }>({ key: 'steps', initial: () => ({ steps: [] }) });
        hooks.beforeAgent.tap('x', (run) => check('beforeAgent', ofRun(run)));
        hooks.beforeModel.tap('x', (request, run) => {
          count.update(run, (now) => ({ steps: [...now.steps, run.step] }));
          const { tools: _, model: __, ...rest } = request;
          check('beforeModel', {
            request: Object.isFrozen(request) ? Object.freeze(rest) : rest,
            state: count.get(run),
            ...ofRun(run),
          });
        });
        hooks.wrapModelCall.tap('x', async (request, next, { run, once }) => {
          const response = await next(request);
          const kept = await once('kept', () => ({ list: [1] }));
          check('wrapModelCall', { response, kept, ...ofRun(run) });
          return response;
        });
        hooks.afterModel.tap('x', (response, run) => check('afterModel', { response, ...ofRun(run) }));
        hooks.wrapToolCall.tap('x', async (call, next, { run }) => {
          const result = await next(call);
          check('wrapToolCall', { call, result, ...ofRun(run) });
          return result;
        });
        hooks.wrapToolCall.tap({ name: 'gate', gate: true }, async (call, next, { edit }) => {
          const result = await next(call);
          check('gate', { call, result, edit });
          return result;
        });
        hooks.afterAgent.tap('x', (result, run) => check('afterAgent', { result, ...ofRun(run) }));
      },
    })();
    // The responses that inner layers make are frozen too.
    const making = definePlugin({
      name: 'making',
      priority: 20,
      setup({ hooks }) {
        hooks.wrapModelCall.tap('x', async (request, next) => {
          const { message, ...rest } = await next(request);
          return { ...rest, message: { ...message, content: [...message.content] }, metadata: { by: ['x'] } };
        });
        hooks.afterModel.tap('x', (response) => ({ ...response, usage: { ...usage } }));
        hooks.wrapToolCall.tap('x', async (call, next) => {
          const { error, ...result } = await next(call);
          return { ...result, content: [...result.content], data: { was: [typeof error] } };
        });
        hooks.wrapToolCall.tap({ name: 'edits', gate: true }, (call, next, { edit }) =>
          next(edit === undefined && call.name === 'look' ? { ...call, input: { at: ['y'] } } : call),
        );
        hooks.afterAgent.tap('x', (result) => ({ ...result, messages: [...result.messages] }));
        hooks.afterAgent.tap('fails', () => {
          throw new Error('no');
        });
      },
    })();
    for (const plugins of [[watching], [watching, making]]) {
      await using agent = await createAgent({
        log: 'silent',
        model: scriptedModel([...steps, { text: 'Still an onion.' }]),
        tools: [look, fail],
        plugins,
        settings: { headers: { a: 'b' } },
      });
      await agent.run('hello', { sessionId: 's', settings: { provider: { test: { list: [1] } } } });
      await agent.run('And now?', { sessionId: 's' });
    }
    expect([...found]).toEqual([]);
    expect([...new Set(seen)].toSorted()).toEqual([
      'afterAgent',
      'afterModel',
      'beforeAgent',
      'beforeModel',
      'gate',
      'wrapModelCall',
      'wrapToolCall',
    ]);
  });

  it('cannot be written to: the plugin that tries is named', async () => {
    const writing = definePlugin({
      name: 'writing',
      afterModel(response) {
        (response as { finish: string }).finish = 'length';
      },
    })();
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([{ text: 'An onion.' }]),
      plugins: [writing],
    });
    await expect(agent.run('hello')).rejects.toMatchObject({
      code: 'PLUGIN_FAILED',
      plugin: 'writing',
      hook: 'afterModel',
      cause: expect.any(TypeError) as unknown,
    });
  });

  it('leaves the settings of the program alone', async () => {
    const settings = { headers: { a: 'b' } };
    await using agent = await createAgent({ log: 'silent', model: scriptedModel([]), settings });
    expect(agent.name).toBe('agent');
    expect(Object.isFrozen(settings.headers)).toBe(false);
  });
});

describe('a plugin cannot turn a run into a completed one', () => {
  const lie = {
    outcome: 'completed',
    stopReason: 'answer',
    text: 'All is well.',
    sessionId: 'other',
    runId: 'x',
  };
  const ways: Record<string, (result: RunResult) => RunResult | undefined> = {
    'in place': (result) => Object.assign(result, lie),
    'by a returned value': (result) => ({ ...result, ...lie, interrupts: [], errors: [] }) as RunResult,
    'by a value that leaves out what it is': () => ({ text: 'All is well.' }) as RunResult,
  };
  const asking = definePlugin({
    name: 'asking',
    async beforeModel(_, run) {
      await run.interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } });
    },
  })();

  for (const [way, change] of Object.entries(ways)) {
    const lying = definePlugin({ name: 'lying', afterAgent: change })();

    it(`that failed: ${way}`, async () => {
      const model = scriptedModel([{ error: new Error('down') }]);
      await using agent = await createAgent({ log: 'silent', model, plugins: [lying] });
      const error: unknown = await agent.run('hello', { sessionId: 's' }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'MODEL_FAILED' });
      expect(isShallotError(error) && error.result).toMatchObject({ outcome: 'failed', sessionId: 's' });
      expect((await agent.session('s'))?.status).toBe('failed');
    });

    it(`that waits for an answer: ${way}`, async () => {
      await using agent = await createAgent({
        log: 'silent',
        model: scriptedModel([]),
        plugins: [asking, lying],
      });
      const result = await agent.run('hello', { sessionId: 's' });
      expect(result).toMatchObject({ outcome: 'interrupted', stopReason: 'interrupt', sessionId: 's' });
      expect(result.interrupts).toHaveLength(1);
      // A write in vain is a failure of the hook; a return value in vain is dropped.
      const blamed = way === 'in place' ? [{ plugin: 'lying', hook: 'afterAgent' }] : [];
      expect(result.errors).toMatchObject(blamed);
      expect((await agent.session('s'))?.status).toBe('interrupted');
    });
  }

  it('by what surrounds it', async () => {
    const framing = definePlugin({
      name: 'framing',
      setup: ({ aroundRun }) =>
        aroundRun(async (_, next) => {
          const result = await next();
          Object.assign(result as object, lie);
          return result;
        }),
    })();
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([]),
      plugins: [asking, framing],
    });
    const result = await agent.run('hello', { sessionId: 's' });
    expect(result).toMatchObject({ outcome: 'interrupted', sessionId: 's', errors: [{ plugin: 'framing' }] });
  });
});

describe('what afterAgent returns', () => {
  it.each([
    ['text is undefined', { text: undefined }],
    ['messages is null', { messages: null }],
    ['usage is the number 5', { usage: 5 }],
    ['steps is "many"', { steps: 'many' }],
  ])('is refused by the member that is wrong: %s', async (fault, change) => {
    const changing = definePlugin({
      name: 'changing',
      afterAgent: (result) => ({ ...result, ...change }) as unknown as RunResult,
    })();
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([{ text: 'An onion.' }]),
      plugins: [changing],
    });
    const result = await agent.run('hello');
    expect(result.text).toBe('An onion.');
    expect(result.errors).toMatchObject([
      { code: 'HOOK_RESULT', plugin: 'changing', message: expect.stringContaining(fault) as unknown },
    ]);
  });

  it('is seen by the taps after it, as are the failures before them', async () => {
    const seen: unknown[] = [];
    const plugins = [
      definePlugin({
        name: 'outer',
        afterAgent({ text, errors }) {
          seen.push(
            text,
            errors.map(({ plugin }) => plugin),
          );
        },
      })(),
      definePlugin({
        name: 'middle',
        afterAgent() {
          throw new Error('no');
        },
      })(),
      definePlugin({ name: 'inner', afterAgent: (result) => ({ ...result, text: `${result.text}!` }) })(),
    ];
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([{ text: 'An onion' }]),
      plugins,
    });
    await agent.run('hello');
    expect(seen).toEqual(['An onion!', ['middle']]);
  });
});
