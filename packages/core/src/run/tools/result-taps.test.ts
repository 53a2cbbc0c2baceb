import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { noting } from '../../../test/input-taps.ts';
import { ShallotError } from '../../base/errors.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { ResultFunction } from '../../contract/hooks.ts';
import { textOf, textPart } from '../../contract/messages.ts';
import type { Plugin } from '../../contract/plugin.ts';
import { defineTool, type ToolResult } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';

const secret = 'hunter2';
const leak = defineTool({
  name: 'leak',
  description: 'Leaks.',
  input: { type: 'object' },
  execute: () => ({ content: [textPart(`it is ${secret}`)], data: { secret }, metadata: { a: { secret } } }),
});

/** A plugin with a tap on results. */
function tapped(fn: ResultFunction, { name = 'guard', priority = 50 } = {}): Plugin {
  return definePlugin({
    name,
    priority,
    setup: ({ hooks }) => hooks.wrapToolCall.tap({ name: 'result', result: true }, fn),
  })();
}

const clean = (result: ToolResult): ToolResult =>
  // The JSON of a result is a result.
  JSON.parse(JSON.stringify(result).replaceAll(secret, '****')) as ToolResult;

interface Outcome {
  readonly text: string;
  readonly stored: string;
  readonly warnings: readonly string[];
}

async function called(plugins: readonly Plugin[], tool = leak): Promise<Outcome> {
  const { store, noted } = noting();
  const model = scriptedModel([{ toolCalls: [{ name: tool.name }] }, { text: 'Done.' }]);
  await using agent = await createAgent({
    model,
    store,
    log: 'silent',
    tools: [tool],
    plugins,
    hookTimeoutMs: 200,
  });
  const stream = agent.stream('Go', { sessionId: 's' });
  const warnings: string[] = [];
  for await (const event of stream) if (event.type === 'warning') warnings.push(event.code);
  const { messages } = await stream.result;
  const text = messages
    .filter(({ role }) => role === 'tool')
    .map(textOf)
    .join();
  return { text, stored: noted(), warnings };
}

/** A layer that keeps the raw result waiting, so that it is journalled. */
const slow = definePlugin({
  name: 'slow',
  priority: 90,
  async wrapToolCall(call, next) {
    const result = await next(call);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return result;
  },
})();

/** A gate that looks at the result, which is held for it. */
const gate = (make: (result: ToolResult) => ToolResult = (result) => result): Plugin =>
  definePlugin({
    name: 'gate',
    setup: ({ hooks }) =>
      hooks.wrapToolCall.tapPromise({ name: 'gate', gate: true }, async (call, next, { once }) => {
        const result = await next(call);
        await once('look', () => 'seen');
        return make(result);
      }),
  })();

describe('a tap on results', () => {
  it.each([
    ['', []],
    [', while a layer outside waits', [slow]],
    [', while a gate holds it', [gate()]],
  ])('changes a result before it is journalled%s', async (_, others) => {
    const { text, stored, warnings } = await called([tapped(clean), ...others]);
    expect(text).toBe('it is ****');
    expect(stored).not.toContain(secret);
    expect(warnings).toEqual([]);
  });

  it('gets what a gate says in place of a result', async () => {
    const denying = definePlugin({
      name: 'denying',
      setup: ({ hooks }) =>
        hooks.wrapToolCall.tap({ name: 'deny', gate: true }, () => ({
          content: [textPart(`no, because ${secret}`)],
          denied: { by: 'ann', reason: secret },
        })),
    })();
    const { text, stored } = await called([tapped(clean), denying]);
    expect(text).toBe('no, because ****');
    expect(stored).not.toContain(secret);
  });

  it('gets what a gate makes of a result, and not twice what it leaves', async () => {
    let count = 0;
    const counting = tapped((result) => {
      count += 1;
      return clean(result);
    });
    const { stored } = await called([counting, gate()]);
    expect(count).toBe(1);
    const adding = gate((result) => ({ ...result, metadata: { gate: secret } }));
    expect((await called([counting, adding])).stored).not.toContain(secret);
    expect(count).toBe(3);
    expect(stored).not.toContain(secret);
  });

  it('gets the result of a failed tool, of arguments that do not fit, and the call', async () => {
    const failing = defineTool({
      name: 'fail',
      description: 'Fails.',
      input: { type: 'object' },
      execute: () => {
        throw new Error(secret);
      },
    });
    const seen: string[] = [];
    const noting: ResultFunction = (result, call, { run }) => {
      seen.push(`${call.name} ${run.step} ${result.isError}`);
      return { ...clean(result), error: result.error };
    };
    const { text, stored } = await called([tapped(noting)], failing);
    expect(text).toBe('The tool fail failed: ****');
    expect(stored).not.toContain(secret);
    const strict = defineTool({
      name: 'strict',
      description: 'Is strict.',
      input: { type: 'object', required: ['x'] },
      execute: () => '',
    });
    await called([tapped(noting)], strict);
    expect(seen).toEqual(['fail 1 true', 'strict 1 true']);
  });

  it('runs inside out, and is listed so, behind the gates', async () => {
    const order: string[] = [];
    const noted = (name: string, priority: number): Plugin =>
      tapped(() => void order.push(name), { name, priority });
    await called([noted('outer', 90), noted('inner', 10)]);
    expect(order).toEqual(['inner', 'outer']);
    await using agent = await createAgent({
      model: scriptedModel([]),
      plugins: [noted('outer', 90), noted('inner', 10), gate()],
    });
    expect(agent.layers().wrapToolCall.map(({ plugin, on }) => `${plugin} ${on}`)).toEqual([
      'gate undefined',
      'inner result',
      'outer result',
    ]);
  });
});

describe('a tap on results that fails', () => {
  const faults: readonly [string, ResultFunction, string][] = [
    [
      'throws',
      () => {
        throw new Error('out of order');
      },
      'out of order',
    ],
    ['rejects', () => Promise.reject(new Error('out of order')), 'out of order'],
    ['returns junk', () => 'x' as never, 'it must return a tool result, or nothing'],
    ['hangs', () => new Promise(() => {}), 'within 200 ms'],
  ];

  it.each(faults)('because it %s withholds the result, and says so', async (_, fn, why) => {
    const { text, stored, warnings } = await called([tapped(fn)]);
    expect(text).toContain('guard withholds the result');
    expect(text).toContain(why);
    expect(stored).not.toContain(secret);
    expect(warnings).toEqual(['RESULT_WITHHELD']);
  });

  it('by its own refusal withholds it without a warning', async () => {
    const refusing = tapped(() => {
      throw new ShallotError('guard/BLOCKED', { message: 'It holds a password.', plugin: 'guard' });
    });
    const { text, warnings } = await called([refusing]);
    expect(text).toBe('The call of leak was answered, but guard withholds the result: It holds a password.');
    expect(warnings).toEqual([]);
  });
});

it('a tap cannot be a gate and one on results', async () => {
  const both = definePlugin({
    name: 'both',
    setup: ({ hooks }) =>
      hooks.wrapToolCall.tap({ name: 'x', result: true, gate: true } as never, () => undefined),
  })();
  await expect(createAgent({ model: scriptedModel([]), plugins: [both] })).rejects.toMatchObject({
    message: expect.stringContaining('was tapped with gate and result') as unknown,
  });
});
