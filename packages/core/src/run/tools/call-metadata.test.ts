import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedToolCall } from '../../../../testing/src/scripted-model.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AgentOptions } from '../../contract/agent-options.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { ToolNext, ToolScope } from '../../contract/hooks.ts';
import { textOf, type Message } from '../../contract/messages.ts';
import type { Plugin } from '../../contract/plugin.ts';
import type { RunResult } from '../../contract/result.ts';
import { defineTool, type Tool, type ToolCall, type ToolResult } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';

type Wrap = (call: ToolCall, next: ToolNext, scope: ToolScope) => Promise<ToolResult>;

const layer = (name: string, priority: number, wrap: Wrap): Plugin =>
  definePlugin({ name, priority, setup: ({ hooks }) => hooks.wrapToolCall.tapPromise(name, wrap) })();
const gate = (name: string, wrap: Wrap): Plugin =>
  definePlugin({ name, setup: ({ hooks }) => hooks.wrapToolCall.tapPromise({ name, gate: true }, wrap) })();

function work(execute: (call: ToolCall) => unknown = () => 'worked'): Tool {
  return defineTool({
    name: 'work',
    description: '',
    input: { type: 'object' },
    execute: (_, { call }) => execute(call) as object,
  });
}

async function run(
  plugins: readonly Plugin[],
  tool = work(),
  call: ScriptedToolCall = { name: 'work' },
): Promise<{ readonly result: Message | undefined; readonly error: unknown }> {
  const model = scriptedModel([{ toolCalls: [call] }, { text: 'Done.' }]);
  await using agent = await createAgent({ log: 'silent', model, tools: [tool], plugins });
  try {
    const { messages } = await agent.run('hello');
    return { result: messages.find(({ role }) => role === 'tool'), error: undefined };
  } catch (error) {
    return { result: undefined, error };
  }
}

const adds = (name: string, priority: number, seen: unknown[]): Plugin =>
  layer(name, priority, async (call, next) => {
    seen.push(call.metadata);
    const result = await next({ ...call, metadata: { ...call.metadata, [name]: 'in' } });
    seen.push(result.metadata);
    return { ...result, metadata: { ...result.metadata, [name]: 'out' } };
  });

describe('the metadata of a call', () => {
  it('reaches the layers further in, the gates and the tool; that of its result comes back out', async () => {
    const seen: unknown[] = [];
    const guard = gate('guard', async (call, next) => {
      seen.push(call.metadata);
      const result = await next({ ...call, metadata: { ...call.metadata, guard: 'in' } });
      return { ...result, metadata: { ...result.metadata, guard: 'out' } };
    });
    const after = gate('second', (call, next) => {
      seen.push(call.metadata);
      return next(call);
    });
    const tool = work((call) => {
      seen.push(call.metadata);
      return { content: [{ type: 'text', text: 'worked' }], metadata: { work: 'out' } };
    });
    const { result } = await run([adds('outer', 80, seen), adds('inner', 20, seen), guard, after], tool);
    expect(seen).toEqual([
      undefined,
      { outer: 'in' },
      { outer: 'in', inner: 'in' },
      { outer: 'in', inner: 'in', guard: 'in' },
      { outer: 'in', inner: 'in', guard: 'in' },
      { work: 'out', guard: 'out' },
      { work: 'out', guard: 'out', inner: 'out' },
    ]);
    const metadata = { work: 'out', guard: 'out', inner: 'out', outer: 'out' };
    expect(result).toMatchObject({ metadata });
  });

  it('is frozen, and leaves arguments that are not valid JSON what they are', async () => {
    const marks = layer('marks', 50, (call, next) => {
      const passed = { ...call, metadata: { marks: { deep: [1] } } };
      const result = next(passed);
      expect(Object.isFrozen(passed.metadata.marks.deep)).toBe(false);
      return result;
    });
    const looks = layer('looks', 40, (call, next) => {
      seen.push(call.metadata?.['marks']);
      return next(call);
    });
    const seen: unknown[] = [];
    const executed: unknown[] = [];
    const { result } = await run(
      [marks, looks],
      work(() => executed.push(1)),
      { name: 'work', raw: '{"a":' },
    );
    expect(seen).toEqual([{ deep: [1] }]);
    expect(seen.every((mark) => Object.isFrozen(mark))).toBe(true);
    expect(textOf(result as Message & { role: 'tool' })).toContain('not valid JSON: {"a":');
    const renames = layer('renames', 50, (call, next) => next({ ...call, name: 'work' }));
    await run(
      [renames],
      work(() => executed.push(2)),
      { name: 'other', raw: '{"a":' },
    );
    expect(executed).toEqual([]);
  });

  it('survives a resume, and is no part of what was approved', async () => {
    const seen: unknown[] = [];
    let entry = 0;
    const counts = layer('counts', 50, async (call, next) => {
      entry += 1;
      const result = await next({ ...call, metadata: { counts: entry } });
      seen.push(result.metadata);
      return result;
    });
    const asks = gate('asks', async (call, next, scope) => {
      seen.push(call.metadata);
      await scope.interrupt({ kind: 'approval', payload: null, answer: { type: 'boolean' } });
      const result = await next(call);
      const after = await scope.once('after', () => 'kept');
      return { ...result, metadata: { asks: after } };
    });
    const asksOutside = layer('outside', 80, async (call, next, scope) => {
      const result = await next(call);
      await scope.interrupt({ kind: 'result', payload: null, answer: { type: 'boolean' } });
      return result;
    });
    const store = memoryStore();
    const options: Partial<AgentOptions> = { tools: [work()], plugins: [asksOutside, counts, asks], store };
    const resumed = async (
      steps: Parameters<typeof scriptedModel>[0],
      answers?: JsonObject,
    ): Promise<RunResult> => {
      await using agent = await createAgent({ log: 'silent', ...options, model: scriptedModel(steps) });
      return await (answers === undefined
        ? agent.run('hello', { sessionId: 's' })
        : agent.resume('s', answers));
    };
    const first = await resumed([{ toolCalls: [{ name: 'work' }] }]);
    const second = await resumed([], { [first.interrupts[0]?.id ?? '']: true });
    expect(second.interrupts.map(({ kind }) => kind)).toEqual(['result']);
    const third = await resumed([{ text: 'Done.' }], { [second.interrupts[0]?.id ?? '']: true });
    expect(third.text).toBe('Done.');
    // The last one comes from the journal.
    expect(seen).toEqual([{ counts: 1 }, { counts: 2 }, { asks: 'kept' }, { asks: 'kept' }]);
  });

  it.each<[string, (call: ToolCall) => unknown, string]>([
    [
      'an unknown member',
      (call) => ({ ...call, metdata: {} }),
      'unknown member "metdata" (did you mean "metadata"?). A call may have',
    ],
    [
      'an unknown member unlike any',
      (call) => ({ ...call, ticket: 7 }),
      'unknown member "ticket". A call may have',
    ],
    ['a member with a symbol', (call) => ({ ...call, [Symbol('x')]: 7 }), 'unknown member "Symbol(x)"'],
    ['metadata that is no object', (call) => ({ ...call, metadata: [1] }), 'call.metadata is an array'],
    [
      'metadata that is no JSON',
      (call) => ({ ...call, metadata: { at: new Date(0) } }),
      'call.metadata.at is',
    ],
    [
      'an accessor in its arguments',
      (call) => ({
        ...call,
        input: {
          get path() {
            return '/a';
          },
        },
      }),
      'call.input.path is an accessor',
    ],
    [
      'a hidden argument',
      (call) => ({ ...call, input: Object.defineProperty({}, 'force', { value: true }) }),
      'call.input.force is a non-enumerable member',
    ],
  ])('with %s is refused, by the name of the plugin', async (_, change, message) => {
    const executed: unknown[] = [];
    const wrong = layer('wrong', 50, (call, next) => next(change(call) as ToolCall));
    const { error } = await run(
      [wrong],
      work(() => executed.push(1)),
    );
    expect(error).toMatchObject({
      plugin: 'wrong',
      hook: 'wrapToolCall',
      message: expect.stringContaining(message) as string,
    });
    const wrongGate = gate('wrong', (call, next) => next(change(call) as ToolCall));
    const denied = await run(
      [wrongGate],
      work(() => executed.push(1)),
    );
    expect(denied.result).toMatchObject({
      denied: { by: 'wrong', reason: expect.stringContaining(message) as string },
    });
    expect(executed).toEqual([]);
  });
});

describe('a result', () => {
  const text = [{ type: 'text', text: 'x' }] as const;
  it.each<[string, object, string]>([
    [
      'an unknown member',
      { content: text, is_error: true },
      'unknown member "is_error" (did you mean "isError"?). A result may have',
    ],
    ['metadata that is no object', { content: text, metadata: 'x' }, 'is a string; use an object'],
    [
      'data with an accessor',
      {
        content: text,
        data: {
          get a() {
            return 1;
          },
        },
      },
      'is an accessor',
    ],
  ])('with %s is refused of a layer and of a gate', async (_, wrong, message) => {
    const contains = expect.stringContaining(message) as string;
    const answers = async (): Promise<ToolResult> => wrong as ToolResult;
    expect((await run([layer('wrong', 50, answers)])).error).toMatchObject({
      plugin: 'wrong',
      hook: 'wrapToolCall',
      message: contains,
    });
    expect((await run([gate('wrong', answers)])).result).toMatchObject({
      denied: { by: 'wrong', reason: contains },
    });
  });
});
