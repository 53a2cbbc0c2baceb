import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { scriptedModel, type ScriptedStep } from '../../../../testing/src/scripted-model.ts';
import type { JsonValue } from '../../base/json.ts';
import type { Schema } from '../../base/schema.ts';
import { definePlugin } from '../../contract/define-plugin.ts';
import type { Interrupt, CallOutput } from '../../contract/interrupt.ts';
import type { Plugin } from '../../contract/plugin.ts';
import type { RunResult } from '../../contract/result.ts';
import type { Store } from '../../contract/store.ts';
import { defineTool } from '../../contract/tool.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from '../../sessions/stores/memory-store.ts';
import { outputOf } from './call-output.ts';

function outputFor(args: unknown, input: JsonValue = {}): CallOutput | undefined {
  const tool = defineTool({ name: 't', description: '', input: { type: 'object' }, execute: () => '' });
  return outputOf({ call: { id: 'c', name: 't', input, index: 0 }, tool, args });
}

describe('what a schema makes of arguments', () => {
  it('is nothing where it is equal to them', () => {
    const input = { a: [1], b: 'x' };
    expect(outputFor(input, input)).toBeUndefined();
    expect(outputFor({ b: 'x', c: undefined, a: [1] }, input)).toBeUndefined();
  });

  it('is a copy as JSON', () => {
    const args = { path: '/etc/x', deep: { list: [1, { a: null }] } };
    const output = outputFor(args);
    expect(output).toEqual({ value: args });
    args.deep.list.pop();
    expect(output?.value).toMatchObject({ deep: { list: [1, { a: null }] } });
  });

  const cyclic: Record<string, unknown> = { a: 1 };
  cyclic['self'] = { cyclic };
  const cases: [string, unknown, JsonValue, readonly string[]][] = [
    [
      'a date',
      { path: '/etc/x', at: new Date(0) },
      { path: '/etc/x', at: '(an instance of Date "1970-01-01T00:00:00.000Z")' },
      ['at is an instance of Date "1970-01-01T00:00:00.000Z"'],
    ],
    [
      'a map in a list',
      { all: [new Map(), 1] },
      { all: ['(an instance of Map)', 1] },
      ['all.0 is an instance of Map'],
    ],
    ['a bigint', { n: 10n }, { n: '(a bigint 10)' }, ['n is a bigint 10']],
    ['a number that JSON has not', { n: Infinity }, { n: '(Infinity)' }, ['n is Infinity']],
    ['a function', { run() {} }, { run: '(a function)' }, ['run is a function']],
    [
      'an accessor',
      {
        get path() {
          return '/';
        },
      },
      { path: '(an accessor (getter or setter))' },
      ['path is an accessor (getter or setter)'],
    ],
    [
      'a non-enumerable member',
      Object.defineProperty({}, 'force', { value: true }),
      { force: '(a non-enumerable member)' },
      ['force is a non-enumerable member'],
    ],
    [
      'a member with a symbol',
      { [Symbol('s')]: 1 },
      { 'Symbol(s)': '(a member with a symbol key)' },
      ['Symbol(s) is a member with a symbol key'],
    ],
    ['a cycle', cyclic, { a: 1, self: { cyclic: '(a cycle)' } }, ['self.cyclic is a cycle']],
    [
      'an instance',
      new URL('https://a.test/'),
      '(an instance of URL "https://a.test/")',
      ['all of it is an instance of URL "https://a.test/"'],
    ],
  ];
  it.each(cases)('names %s, which JSON cannot hold', (_, args, value, notJson) => {
    expect(outputFor(args)).toEqual({ value, notJson });
  });
});

interface Told {
  readonly result: RunResult;
  readonly executed: readonly unknown[];
  readonly seen: readonly (CallOutput | undefined)[];
}

/** One agent that asks in a gate before it executes, and keeps something with `once`. */
async function asked(
  input: Schema,
  store: Store,
  go: { readonly steps: readonly ScriptedStep[]; readonly answers?: Record<string, true> },
): Promise<Told> {
  const executed: unknown[] = [];
  const seen: (CallOutput | undefined)[] = [];
  const asks: Plugin = definePlugin({
    name: 'asks',
    setup({ hooks }) {
      hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
        seen.push(await scope.once('seen', () => scope.output ?? null).then((output) => output ?? undefined));
        await scope.interrupt({ kind: 'approval', payload: null, answer: { type: 'boolean' } });
        return next(call);
      });
    },
  })();
  const execute = (args: unknown): string => {
    executed.push(args);
    return '';
  };
  const tool = defineTool({ name: 'work', description: '', input, execute });
  const model = scriptedModel(go.steps);
  await using agent = await createAgent({ log: 'silent', model, store, tools: [tool], plugins: [asks] });
  const result = await (go.answers === undefined
    ? agent.run('hello', { sessionId: 's' })
    : agent.resume('s', go.answers));
  return { result, executed, seen };
}

const first = [{ toolCalls: [{ name: 'work', args: { path: '/x' } }] }];
const yes = ([interrupt]: readonly Interrupt[]): Record<string, true> => ({ [interrupt?.id ?? '']: true });
const below = (root: string): Schema => z.object({ path: z.string().transform((path) => root + path) });

describe('a gate', () => {
  it('is told what the tool is executed with, and so is whoever answers its question', async () => {
    const store = memoryStore();
    const input = z.object({ path: z.string(), force: z.boolean().default(true) });
    const { result, seen } = await asked(input, store, { steps: first });
    const output = { value: { path: '/x', force: true } };
    expect(seen).toEqual([output]);
    expect(result.interrupts).toMatchObject([{ call: { name: 'work', input: { path: '/x' }, output } }]);
    const done = await asked(input, store, { steps: [{ text: 'Done.' }], answers: yes(result.interrupts) });
    expect(done.executed).toEqual([output.value]);
  });

  it('is told nothing where the schema takes the arguments as they are', async () => {
    const schemas = [z.object({ path: z.string() }), { type: 'object' }];
    for (const schema of schemas) {
      const { result, seen } = await asked(schema, memoryStore(), { steps: first });
      expect(seen).toEqual([undefined]);
      expect(result.interrupts[0]?.call).not.toHaveProperty('output');
    }
  });

  it('asks anew, and keeps nothing of before, when the schema makes something else of the arguments', async () => {
    const store = memoryStore();
    const before = await asked(below('/tmp'), store, { steps: first });
    const after = await asked(below('/etc'), store, { steps: [], answers: yes(before.result.interrupts) });
    expect(after).toMatchObject({ executed: [], result: { outcome: 'interrupted' } });
    expect(after.seen).toEqual([{ value: { path: '/etc/x' } }]);
    expect(after.result.interrupts[0]?.id).not.toBe(before.result.interrupts[0]?.id);
    const done = await asked(below('/etc'), store, {
      steps: [{ text: 'Done.' }],
      answers: yes(after.result.interrupts),
    });
    expect(done.executed).toEqual([{ path: '/etc/x' }]);
  });
});
