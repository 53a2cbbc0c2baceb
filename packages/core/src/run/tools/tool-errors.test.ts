import { type } from 'arktype';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import {
  scriptedModel,
  type ScriptedStep,
  type ScriptedToolCall,
} from '../../../../testing/src/scripted-model.ts';
import { traceHooks } from '../../../../testing/src/trace-hooks.ts';
import { isShallotError } from '../../base/errors.ts';
import type { Schema } from '../../base/schema.ts';
import type { AgentOptions } from '../../contract/agent-options.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { ToolScope } from '../../contract/hooks.ts';
import { textOf, type ToolMessage } from '../../contract/messages.ts';
import type { Plugin } from '../../contract/plugin.ts';
import type { RunResult } from '../../contract/result.ts';
import { defineTool, type Tool, type ToolCall, type ToolResult } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';

interface Ran {
  readonly result: RunResult;
  readonly error: unknown;
  readonly results: readonly ToolMessage[];
}

/** A run in which the model makes these calls, and then answers. */
async function call(
  calls: readonly ScriptedToolCall[],
  tools: readonly Tool[],
  plugins: readonly Plugin[] = [],
  options: Partial<AgentOptions> = {},
): Promise<Ran> {
  const model = scriptedModel([{ toolCalls: calls }, { text: 'I see.' }]);
  await using agent = await createAgent({ log: 'silent', ...options, model, tools, plugins });
  let error: unknown;
  const result = await agent.run('hello', { sessionId: 's' }).catch((thrown: unknown) => {
    error = thrown;
    if (isShallotError(thrown) && thrown.result !== undefined) return thrown.result;
    throw thrown;
  });
  return { result, error, results: result.messages.filter((message) => message.role === 'tool') };
}

function toolWith(input: Schema, seen: unknown[] = []): Tool {
  return defineTool({
    name: 'look',
    description: 'Looks.',
    input,
    execute(args) {
      seen.push(args);
      return 'an onion';
    },
  });
}

function failing(thrown: unknown, name = 'look'): Tool {
  return defineTool({
    name,
    description: 'Fails.',
    input: { type: 'object' },
    execute() {
      throw thrown;
    },
  });
}

/** A plugin that notes what comes back through `wrapToolCall`, and may change it. */
function watching(seen: ToolResult[], change = (result: ToolResult): ToolResult => result): Plugin {
  return definePlugin({
    name: 'watching',
    async wrapToolCall(asked, next) {
      const result = await next(asked);
      seen.push(result);
      return change(result);
    },
  })();
}

describe('a call that cannot be executed', () => {
  const any = toolWith({ type: 'object' });

  it('of an unknown tool is told the names of the tools', async () => {
    const { results, result } = await call([{ name: 'smell' }], [any]);
    expect(results.map(textOf)).toEqual(['There is no tool "smell". The tools are: look.']);
    expect(results[0]).toMatchObject({ isError: true, name: 'smell' });
    expect(result.text).toBe('I see.');
  });

  it('of an unknown tool, without any tools, is told so', async () => {
    const { results } = await call([{ name: 'smell' }], []);
    expect(results.map(textOf)).toEqual(['There is no tool "smell". There are no tools.']);
  });

  it('of a tool that a layer has hidden is as good as of an unknown one', async () => {
    const hiding = definePlugin({
      name: 'hiding',
      wrapModelCall: (request, next) =>
        next({ ...request, tools: (request.tools ?? []).filter(({ name }) => name !== 'look') }),
    })();
    const executed: unknown[] = [];
    const { results } = await call([{ name: 'look' }], [toolWith({ type: 'object' }, executed)], [hiding]);
    expect(results.map(textOf)).toEqual(['There is no tool "look". There are no tools.']);
    expect(executed).toEqual([]);
  });

  it('is offered by the winning request alone, whatever a failed attempt offered', async () => {
    const executed: unknown[] = [];
    const tool = toolWith({ type: 'object' }, executed);
    const careful = definePlugin({
      name: 'careful',
      async wrapModelCall(request, next) {
        if (request.messages.length > 1) return next(request);
        const [first] = await Promise.all([
          next({ ...request, tools: [] }, { parallel: true }),
          next(request, { parallel: true }),
        ]);
        return first;
      },
    })();
    const steps: ScriptedStep[] = [{ toolCalls: [{ name: 'look' }] }, { text: 'lost' }, { text: 'I see.' }];
    await using agent = await createAgent({ model: scriptedModel(steps), tools: [tool], plugins: [careful] });
    const { messages } = await agent.run('hello');
    expect(messages.filter(({ role }) => role === 'tool')).toMatchObject([{ isError: true }]);
    expect(executed).toEqual([]);
  });

  it('with broken JSON is shown what it wrote', async () => {
    const executed: unknown[] = [];
    const { results } = await call(
      [{ name: 'look', raw: '{"at": "the on' }],
      [toolWith({ type: 'object' }, executed)],
    );
    expect(results.map(textOf)).toEqual(['The arguments of look are not valid JSON: {"at": "the on']);
    expect(executed).toEqual([]);
  });

  it('can be repaired by a layer', async () => {
    const executed: unknown[] = [];
    const repairing = definePlugin({
      name: 'repairing',
      wrapToolCall: (asked, next) =>
        next(asked.raw === undefined ? asked : { ...asked, input: { at: 'it' } }),
    })();
    const { results } = await call(
      [{ name: 'look', raw: '{"at": ' }],
      [toolWith({ type: 'object' }, executed)],
      [repairing],
    );
    expect(results.map(textOf)).toEqual(['an onion']);
    expect(executed).toEqual([{ at: 'it' }]);
  });

  it.each(['length', 'content-filter'] as const)(
    'is not executed when the answer ended with %s',
    async (finish) => {
      const executed: unknown[] = [];
      const model = scriptedModel([{ toolCalls: [{ name: 'look' }], finish }, { text: 'I see.' }]);
      await using agent = await createAgent({ model, tools: [toolWith({ type: 'object' }, executed)] });
      const { messages, text } = await agent.run('hello');
      expect(messages.filter(({ role }) => role === 'tool').map(textOf)).toEqual([
        `not executed: the answer was cut off (${finish})`,
      ]);
      expect([executed, text]).toEqual([[], 'I see.']);
    },
  );

  it('is not executed, nor kept, when the stream broke off', async () => {
    const executed: unknown[] = [];
    const broken: ScriptedStep = {
      chunks: [{ type: 'tool-call-delta', index: 0, id: 'c', name: 'look', text: '{}' }],
      end: 'broken',
    };
    const model = scriptedModel([broken]);
    const tools = [toolWith({ type: 'object' }, executed)];
    await using agent = await createAgent({ log: 'silent', model, tools });
    await expect(agent.stream('hello', { sessionId: 's' }).result).rejects.toMatchObject({
      code: 'MODEL_STREAM_BROKEN',
      transient: true,
    });
    expect((await agent.session('s'))?.messages.map(({ role }) => role)).toEqual(['user']);
    expect(executed).toEqual([]);
  });

  it('is not executed when the model says that its answer ended with an error', async () => {
    const executed: unknown[] = [];
    const model = scriptedModel([{ toolCalls: [{ name: 'look' }], finish: 'error' }]);
    const tools = [toolWith({ type: 'object' }, executed)];
    await using agent = await createAgent({ log: 'silent', model, tools });
    await expect(agent.run('hello')).rejects.toMatchObject({ code: 'MODEL_FAILED', transient: true });
    expect(executed).toEqual([]);
  });
});

const schemas: Record<string, Schema> = {
  zod: z.object({ count: z.number().int(), at: z.string() }),
  arktype: type({ count: 'number.integer', at: 'string' }),
  'plain JSON Schema': {
    type: 'object',
    properties: { count: { type: 'integer' }, at: { type: 'string' } },
    required: ['count', 'at'],
  },
};

describe('arguments', () => {
  it('that are none of very many values are refused briefly', async () => {
    const names = Array.from({ length: 2000 }, (_, index) => `name-${index}`);
    const schema = { type: 'object', properties: { at: { enum: names } } };
    const { results } = await call([{ name: 'look', args: { at: 'x' } }], [toolWith(schema, [])]);
    const said = results.map(textOf).join();
    expect(said).toContain('at: Instance does not match any of ["name-0"');
    expect(said.length).toBeLessThan(1200);
  });

  for (const [library, schema] of Object.entries(schemas)) {
    it(`that ${library} refuses are told to the model, with path and reason`, async () => {
      const executed: unknown[] = [];
      const { results, result } = await call(
        [{ name: 'look', args: { count: 'many', at: 'it' } }],
        [toolWith(schema, executed)],
      );
      expect(results).toMatchObject([{ isError: true }]);
      expect(results.map(textOf).join()).toMatch(
        /^The arguments of look are not valid:\n(.*\n)*.*count.*(number|integer)/,
      );
      expect([executed, result.text]).toEqual([[], 'I see.']);
    });

    it(`that ${library} takes reach the tool`, async () => {
      const executed: unknown[] = [];
      await call([{ name: 'look', args: { count: 2, at: 'it' } }], [toolWith(schema, executed)]);
      expect(executed).toEqual([{ count: 2, at: 'it' }]);
    });
  }

  it('reach the tool as the schema gives them, while the call keeps its JSON', async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: 'remind',
      description: 'Reminds.',
      input: z.object({
        on: z.iso.date().transform((text) => new Date(text)),
        at: z.string().default('noon'),
      }),
      execute({ on, at }, context) {
        seen.push(on.getUTCFullYear(), at, context.call.input);
      },
    });
    const layer: ToolCall[] = [];
    const plugin = definePlugin({
      name: 'layer',
      wrapToolCall: (asked, next) => (layer.push(asked), next(asked)),
    })();
    const store = memoryStore();
    await call([{ name: 'remind', args: { on: '2026-11-21' } }], [tool], [plugin], { store });
    expect(seen).toEqual([2026, 'noon', { on: '2026-11-21' }]);
    expect(layer).toMatchObject([{ input: { on: '2026-11-21' } }]);
    expect(JSON.stringify(await store.load('s'))).not.toContain('noon');
  });

  it('are checked after the layers have changed them', async () => {
    const executed: unknown[] = [];
    const spoiling = definePlugin({
      name: 'spoiling',
      wrapToolCall: (asked, next) => next({ ...asked, input: { count: 'lots', at: 'it' } }),
    })();
    const { results } = await call(
      [{ name: 'look', args: { count: 2, at: 'it' } }],
      [toolWith(schemas['zod'] ?? {}, executed)],
      [spoiling],
    );
    expect(results.map(textOf).join()).toContain('count');
    expect(executed).toEqual([]);
  });

  it('whose schema throws are a failing tool like any other', async () => {
    const fail = (): never => {
      throw new Error('no schema');
    };
    const schema = z.object({ at: z.string().refine(fail) });
    const { results, result } = await call([{ name: 'look', args: { at: 'it' } }], [toolWith(schema)]);
    expect(results.map(textOf).join()).toContain('no schema');
    expect(result.outcome).toBe('completed');
  });

  it('may be checked asynchronously', async () => {
    const schema = z.object({ at: z.string().refine(async (text) => text === 'it', 'not there') });
    const { results } = await call(
      [
        { name: 'look', args: { at: 'it' } },
        { name: 'look', args: { at: 'that' } },
      ],
      [toolWith(schema)],
    );
    expect(results.map(textOf)).toEqual(['an onion', 'The arguments of look are not valid:\nat: not there']);
  });
});

describe('ids of calls', () => {
  it('that are missing, or were there before, are replaced before anything is stored', async () => {
    const calls = [
      { name: 'look', id: '' },
      { name: 'look', id: 'same' },
      { name: 'look', id: 'same' },
    ];
    const steps: ScriptedStep[] = [
      { toolCalls: calls },
      { toolCalls: [{ name: 'look', id: 'same' }] },
      { text: 'x' },
    ];
    await using agent = await createAgent({
      model: scriptedModel(steps),
      tools: [toolWith({ type: 'object' })],
    });
    const { messages } = await agent.run('hello');
    const ids = messages.flatMap((message) => (message.role === 'tool' ? message.callId : []));
    expect(new Set(ids).size).toBe(4);
    expect(ids.filter((id) => id === 'same')).toHaveLength(1);
    expect(ids).not.toContain('');
  });
});

describe('a tool that fails', () => {
  const failure = Object.assign(new Error('it is dark'), { status: 'no such lamp' });

  it('gives layers an error result with the very value that was thrown, and the model its message', async () => {
    const seen: ToolResult[] = [];
    const store = memoryStore();
    const { results, result } = await call([{ name: 'look' }], [failing(failure)], [watching(seen)], {
      store,
    });
    expect(seen).toMatchObject([{ isError: true }]);
    expect(seen[0]?.error).toBe(failure);
    expect(results.map(textOf)).toEqual(['The tool look failed: it is dark']);
    expect(result.outcome).toBe('completed');
    expect(results[0]).not.toHaveProperty('error');
    expect(JSON.stringify(await store.load('s'))).not.toContain('no such lamp');
  });

  const ways = {
    rejects: () => Promise.reject(failure),
    'throws what is not an error': () => {
      throw 'it is dark';
    },
    async *'fails in a generator'() {
      yield 1;
      throw failure;
    },
  };
  it.each(Object.entries(ways))('in another way (it %s) is a result too', async (_, execute) => {
    const tool = defineTool({ name: 'look', description: 'Fails.', input: { type: 'object' }, execute });
    const { results, result } = await call([{ name: 'look' }], [tool]);
    expect(results).toMatchObject([{ isError: true }]);
    expect(results.map(textOf).join()).toMatch(/The tool look failed: .*it is dark/);
    expect(result.text).toBe('I see.');
  });

  const layers: Record<string, () => readonly Plugin[]> = {
    'no plugin': () => [],
    'a layer that passes through': () => [traceHooks()],
    'a gate that passes through': () => [traceHooks({ gate: true })],
    'a layer that awaits': () => [watching([])],
  };
  for (const [what, plugins] of Object.entries(layers)) {
    for (const [thrown, cause] of [
      [failure, failure],
      ['it is dark', 'it is dark'],
      [null, new Error('null was thrown')],
      [undefined, new Error('undefined was thrown')],
    ]) {
      it(`ends the run with toolErrors "throw", once the layers are through: ${String(thrown)}, with ${what}`, async () => {
        const { result, error, results } = await call(
          [{ name: 'look' }, { name: 'fine' }],
          [failing(thrown), toolNamed('fine')],
          plugins(),
          { toolErrors: 'throw' },
        );
        expect(error).toMatchObject({ code: 'TOOL_FAILED', cause });
        expect(result).toMatchObject({ outcome: 'failed', stopReason: 'error' });
        // The call beside it still has its result.
        expect(results.map(({ isError }) => isError)).toEqual([true, undefined]);
      });
    }
  }

  it('ends no run when a layer has taken care of it: the error is deleted', async () => {
    const caring = watching([], ({ error: _, ...result }) => result);
    const { result } = await call([{ name: 'look' }], [failing(failure)], [caring], { toolErrors: 'throw' });
    expect(result.outcome).toBe('completed');
  });

  it.each([
    ['an unknown tool', { name: 'smell' }],
    ['wrong arguments', { name: 'fine', args: { at: 1 } }],
    ['broken JSON', { name: 'fine', raw: '{' }],
  ])('is not what %s is: that goes to the model also with toolErrors "throw"', async (_, asked) => {
    const { result } = await call([asked], [toolNamed('fine')], [], { toolErrors: 'throw' });
    expect(result.outcome).toBe('completed');
  });

  it('wins over an interrupt of a call beside it', async () => {
    const asking = definePlugin({
      name: 'asking',
      async wrapToolCall(asked, next, scope: ToolScope) {
        if (asked.index === 1) await scope.interrupt({ kind: 'q', payload: 1, answer: { type: 'string' } });
        return next(asked);
      },
    })();
    const { result, results } = await call(
      [{ name: 'look' }, { name: 'fine' }],
      [failing(failure), toolNamed('fine')],
      [asking],
      { toolErrors: 'throw' },
    );
    expect(result).toMatchObject({ outcome: 'failed', interrupts: [] });
    expect(results.map(textOf)).toEqual(['The tool look failed: it is dark', 'not executed: the run failed']);
  });
});

function toolNamed(name: string): Tool {
  return defineTool({
    name,
    description: 'Works.',
    input: z.object({ at: z.string().optional() }),
    execute: () => 'fine',
  });
}
