import { describe, expect, it } from 'vitest';

import { collectEvents } from '../../../../testing/src/collect-events.ts';
import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import { textOf, type Message } from '../../contract/messages.ts';
import type { Plugin } from '../../contract/plugin.ts';
import { defineTool, type ToolOutput } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';

/** Retries what failed, and notes what it got. */
function retrying(seen: unknown[]): ReturnType<ReturnType<typeof definePlugin>> {
  return definePlugin({
    name: 'retrying',
    async wrapToolCall(call, next) {
      const result = await next(call);
      seen.push(result);
      return result.isError === true ? next(call) : result;
    },
  })();
}

interface Ran {
  readonly result: Message | undefined;
  readonly executed: number;
  readonly warnings: readonly string[];
  readonly log: readonly string[];
  readonly seen: readonly unknown[];
}

/** A run that calls a tool twice, with a layer that retries and `toolErrors: 'throw'`. */
async function runWith(output: () => ToolOutput, plugins: readonly Plugin[] = []): Promise<Ran> {
  const seen: unknown[] = [];
  const log: string[] = [];
  let executed = 0;
  const insert = defineTool({
    name: 'create_order',
    description: 'Creates an order.',
    input: { type: 'object' },
    execute() {
      executed += 1;
      return output();
    },
  });
  const calling = { toolCalls: [{ name: 'create_order', args: {} }] };
  await using agent = await createAgent({
    model: scriptedModel([calling, calling, { text: 'Done.' }]),
    tools: [insert],
    plugins: [retrying(seen), ...plugins],
    toolErrors: 'throw',
    log: 'warn',
    logStream: { write: (line) => void log.push(line) },
  });
  const { events, result } = await collectEvents(agent.stream('go'));
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
  return { result: result?.messages.find(({ role }) => role === 'tool'), executed, warnings, log, seen };
}

describe('a result that JSON can write', () => {
  const created = new Date('2026-11-23T06:00:00Z');

  it('is taken as it writes it', async () => {
    const row = { id: 1, created, tags: ['a', undefined], note: undefined, photo: Buffer.from('ab') };
    const { result, executed } = await runWith(() => row);
    const written = JSON.parse(JSON.stringify(row)) as unknown;
    expect(result).toMatchObject({ data: written, content: [{ type: 'text', text: JSON.stringify(row) }] });
    expect(result).not.toHaveProperty('isError');
    expect(executed).toBe(2);
    expect(Object.isFrozen(row)).toBe(false);
  });

  it('is logged once per tool if something is lost', async () => {
    const lossy = await runWith(() => ({ seen: new Set(['a']), created }));
    expect(lossy.warnings).toEqual([]);
    expect(lossy.log).toEqual([
      expect.stringContaining(
        'of the tool create_order is not all in its JSON: \\"seen\\" is an instance of Set',
      ),
    ]);
    expect((await runWith(() => ({ created }))).log).toEqual([]);
  });

  it('may be the data or metadata of a result with content', async () => {
    const content = [{ type: 'text' as const, text: 'ok' }];
    const { result } = await runWith(() => ({
      content,
      data: { created } as never,
      metadata: { p: created as never },
    }));
    expect(result).toMatchObject({
      content,
      data: { created: created.toJSON() },
      metadata: { p: created.toJSON() },
    });
  });
});

describe('content that is a string', () => {
  const parts = [{ type: 'text', text: 'ok' }];

  it('is the text of a result of a tool', async () => {
    const { result } = await runWith(() => ({ content: 'ok', data: { id: 1 }, isError: true }));
    expect(result).toMatchObject({ content: parts, data: { id: 1 }, isError: true });
    expect((await runWith(() => ({ content: '' }))).result).toMatchObject({ content: [] });
  });

  it('is data beside members that no result has', async () => {
    const file = { content: 'ok', path: '/a' };
    const { result } = await runWith(() => file);
    expect(result).toMatchObject({ data: file, content: [{ type: 'text', text: JSON.stringify(file) }] });
  });

  it.each([
    ['layer', {}],
    ['gate', { gate: true }],
    ['tap on results', { result: true } as const],
  ])('is the text of a result of a %s', async (name, options) => {
    const plugin = definePlugin({
      name: 'answers',
      setup({ hooks }) {
        hooks.wrapToolCall.tap({ name, ...options } as never, () => ({ content: 'ok' }));
      },
    });
    const { result } = await runWith(() => 'else', [plugin()]);
    expect(result).toMatchObject({ content: parts });
  });
});

describe('a result that cannot be shown', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  const text = [{ type: 'text', text: 'x' }];
  it.each<[string, unknown, string]>([
    ['a bigint', { id: 1n }, 'the result of the tool create_order.id is a bigint'],
    ['a cycle', cycle, 'circular'],
    ['a function', () => 'x', 'the result of the tool create_order is a function'],
    ['content that is no text', { content: [{ type: 'text', text: 5 }] }, 'content[0].text is the number 5'],
    ['an unknown member', { content: text, is_error: true }, 'the unknown member "is_error"'],
    ['metadata that is no object', { content: text, metadata: 'x' }, 'is a string; use an object'],
  ])('is no failure: %s', async (_, output, reason) => {
    const { result, executed, warnings, seen } = await runWith(() => output as ToolOutput);
    expect(executed).toBe(2);
    expect(seen).toHaveLength(2);
    expect(result).not.toHaveProperty('isError');
    const said = result === undefined ? '' : textOf(result);
    expect(said).toContain('The call of create_order was executed, but its result cannot be shown: ');
    expect(said).toContain(reason);
    expect(warnings).toEqual([said, said]);
  });
});
