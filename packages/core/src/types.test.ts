import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

import type { PluginConfigEntry } from './config/check/config.ts';
import type { WrapRun } from './contract/hooks.ts';
import type { InterruptRequest } from './contract/interrupt.ts';
import type { ToolArguments } from './contract/tool.ts';
import {
  definePlugin,
  defineTool,
  type AssistantMessage,
  type JsonObject,
  type Plugin,
  type PluginFactory,
  type ToolCall,
  type ToolContext,
  type ToolOutput,
} from './index.ts';
import type { Emit, ModelRequest } from './model.ts';
import type { PluginSetup, PluginState, Run, ToolScope } from './plugin.ts';

/** An interface has no index signature, and so is no `JsonValue` to the compiler. */
interface Row {
  readonly id: string;
}

const row: Row = { id: 'a' };
const tool = { name: 'find', description: 'Finds' };
const plugin = { name: 'a', version: '1.0.0', api: '^1.0.0' };

describe('Interfaces pass as JSON', () => {
  it('from tools', () => {
    expectTypeOf<Row>().toExtend<ToolOutput>();
    defineTool({ ...tool, input: z.object({}), execute: async (): Promise<Row[]> => [row] });
    defineTool({
      ...tool,
      input: z.object({}),
      async *execute(): AsyncGenerator<Row, Row> {
        yield row;
        return row;
      },
    });
    // @ts-expect-error JSON has no big integers
    defineTool({ ...tool, input: z.object({}), execute: () => 1n });
  });

  it('to questions, events, progress and once', () => {
    expectTypeOf<Row>().toExtend<InterruptRequest['payload']>();
    expectTypeOf<Row>().toExtend<Parameters<ToolContext['progress']>[0]>();
    expectTypeOf<Row>().toExtend<Parameters<Run['event']>[1]>();
    const once = (context: ToolContext): Promise<Row> => context.once('key', () => row);
    expectTypeOf(once).returns.resolves.toEqualTypeOf<Row>();
  });

  it('to state, which widens what it starts from', () => {
    const countIn = ({ state }: PluginSetup) => state({ key: 'count', initial: () => 0 });
    const rowIn = ({ state }: PluginSetup) => state({ key: 'row', initial: () => row });
    expectTypeOf(countIn).returns.toEqualTypeOf<PluginState<number>>();
    expectTypeOf(rowIn).returns.toEqualTypeOf<PluginState<Row>>();
  });
});

describe('The arguments of a tool', () => {
  it('are what a Standard Schema gives', () => {
    const input = z.object({ limit: z.coerce.number() });
    defineTool({ ...tool, input, execute: ({ limit }) => limit + 1 });
    expectTypeOf<ToolArguments<typeof input>>().toEqualTypeOf<{ limit: number }>();
  });

  it('are an object for a plain JSON Schema', () => {
    const input = { type: 'object', properties: { q: { type: 'string' } } };
    defineTool({ ...tool, input, execute: (args) => args.q });
    expectTypeOf<ToolArguments<typeof input>>().toEqualTypeOf<JsonObject>();
  });
});

describe('A plugin factory', () => {
  it('types hooks as members, also beside options', () => {
    definePlugin({
      name: 'short',
      beforeAgent(run) {
        expectTypeOf(run).toEqualTypeOf<Run>();
      },
      beforeModel: (request, { step }) => (step === 1 ? request : undefined),
      async wrapModelCall(request, next, { emit, run }) {
        expectTypeOf(request).toEqualTypeOf<ModelRequest>();
        expectTypeOf(emit).toEqualTypeOf<Emit | undefined>();
        expectTypeOf(run).toEqualTypeOf<WrapRun>();
        return next(request);
      },
      afterModel({ message }) {
        expectTypeOf(message).toEqualTypeOf<AssistantMessage>();
      },
    });
    const both = definePlugin({
      name: 'both',
      options: z.object({ limit: z.number() }),
      async wrapToolCall(call, next, { run, interrupt }) {
        expectTypeOf(call).toEqualTypeOf<ToolCall>();
        expectTypeOf(interrupt).toEqualTypeOf<ToolScope['interrupt']>();
        run.end();
        return next(call);
      },
      afterAgent: (result) => ({ ...result, text: result.text.trim() }),
      setup({ options: { limit } }) {
        expectTypeOf(limit).toEqualTypeOf<number>();
      },
    });
    expectTypeOf(both).parameters.toEqualTypeOf<[options: { limit: number }]>();
    definePlugin({
      name: 'json',
      options: { type: 'object' },
      wrapToolCall(call, next) {
        expectTypeOf(call).toEqualTypeOf<ToolCall>();
        return next(call);
      },
      setup({ options }) {
        expectTypeOf(options).toEqualTypeOf<JsonObject>();
      },
    });
    const misspelt = { name: 'misspelt', afterModels: () => undefined };
    expect(() => definePlugin(misspelt)).toThrow('did you mean "afterModel"?');
    // @ts-expect-error a tool call is answered with a result
    definePlugin({ name: 'wrong', wrapToolCall: () => 'text' });
  });

  it('takes no options without a schema', () => {
    const plain = definePlugin({ ...plugin, setup() {} });
    expectTypeOf(plain()).toEqualTypeOf<Plugin>();
    // @ts-expect-error there is no schema for it
    plain({ limit: 3 });
  });

  it('can go without options when all have defaults', () => {
    const optional = definePlugin({
      ...plugin,
      options: z.object({ limit: z.number().default(3) }),
      setup({ options }) {
        expectTypeOf(options).toEqualTypeOf<{ limit: number }>();
      },
    });
    expectTypeOf(optional()).toEqualTypeOf<Plugin>();
    expectTypeOf(optional({})).toEqualTypeOf<Plugin>();
    expectTypeOf(optional({ limit: 3 })).toEqualTypeOf<Plugin>();
    // @ts-expect-error a limit is a number
    optional({ limit: 'many' });
  });

  it('needs options when one has no default', () => {
    const needy = definePlugin({
      ...plugin,
      options: z.object({ limit: z.number() }),
      setup({ options }) {
        expectTypeOf(options).toEqualTypeOf<{ limit: number }>();
      },
    });
    expectTypeOf(needy({ limit: 3 })).toEqualTypeOf<Plugin>();
    // @ts-expect-error the limit is missing
    needy();
  });

  it('stands in a configuration, whatever its options', () => {
    const plain = definePlugin({ ...plugin, setup() {} });
    const needy = definePlugin({ ...plugin, options: z.object({ limit: z.number() }), setup() {} });
    expectTypeOf<typeof plain | typeof needy>().toExtend<PluginFactory>();
    expectTypeOf<PluginFactory>().toExtend<PluginConfigEntry['use']>();
  });
});
