import {
  createAgent,
  definePlugin,
  defineTool,
  memoryStore,
  type JsonObject,
  type JsonValue,
  type Plugin,
  type RunResult,
  type Schema,
} from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import { preApprovalsKey, withUnseenInput, type ApprovalRequest } from '@shallot/core/plugin';
import type { Store } from '@shallot/core/store';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { approve, idOf, requestOf } from '../test/approvals.ts';
import hitl, { type HitlOptions } from './index.ts';

interface Case {
  readonly name?: string;
  readonly input: Schema;
  readonly args?: JsonValue;
  readonly options?: HitlOptions;
  readonly plugins?: readonly Plugin[];
  readonly store?: Store;
  readonly resume?: RunResult;
}

/** Runs a call of one tool until it is asked about, or goes on with an approval. */
async function run({ name = 'del', input, args = {}, options = {}, plugins = [], store, resume }: Case) {
  const executed: unknown[] = [];
  const execute = (given: unknown): string => {
    executed.push(given);
    return 'deleted';
  };
  const files = memoryFiles();
  await files.write('/etc/x', 'old\n');
  await using agent = await createAgent({
    log: 'silent',
    model: scriptedModel(
      resume === undefined ? [{ toolCalls: [{ name, args }] }, { text: 'Done.' }] : [{ text: 'Done.' }],
    ),
    tools: [defineTool({ name, description: '', input, execute })],
    plugins: [hitl(options), ...plugins],
    files,
    store: store ?? memoryStore(),
  });
  const result =
    resume === undefined
      ? await agent.run('Go', { sessionId: 's' })
      : await agent.resume('s', { [idOf(resume.interrupts[0])]: approve });
  return { result, executed, request: requestOf(result.interrupts[0]) };
}

/** A schema that takes any object, and makes something of it. */
function makes(make: (args: JsonObject) => unknown): Schema {
  const json = (): JsonObject => ({ type: 'object' });
  const validate = (value: unknown): { readonly value: unknown } => ({ value: make(value as JsonObject) });
  return {
    '~standard': { version: 1, vendor: 'test', validate, jsonSchema: { input: json, output: json } },
  };
}

const defaults = makes((args) => ({ path: '/', force: true, ...args }));
const below = (root: string): Schema =>
  makes(({ path, ...rest }) => ({ path: `${root}${path as string}`, ...rest }));

describe('what a schema makes of the arguments', () => {
  it('is shown beside them, and is what is executed', async () => {
    const store = memoryStore();
    const first = await run({ input: defaults, store });
    expect(first.request).toMatchObject({ arguments: '(no arguments)', output: 'path: "/"\nforce: true' });
    const { executed } = await run({ input: defaults, store, resume: first.result });
    expect(executed).toEqual([{ path: '/', force: true }]);
  });

  it('is not shown where it is the same', async () => {
    const { request } = await run({ input: defaults, args: { path: '/x', force: false } });
    expect(request).not.toHaveProperty('output');
  });

  it('makes another question when it is another one, whatever was answered', async () => {
    const store = memoryStore();
    const first = await run({ input: below('/tmp'), args: { path: '/x' }, store });
    const second = await run({ input: below('/etc'), store, resume: first.result });
    expect(second.executed).toEqual([]);
    expect(second.request.output).toBe('path: "/etc/x"');
    const third = await run({ input: below('/etc'), store, resume: second.result });
    expect(third.executed).toEqual([{ path: '/etc/x' }]);
  });

  it('is named as such where it is no JSON, with hidden characters made visible', async () => {
    const withDate = makes(() => ({ at: new Date(0), 'a\u202Eb': 1n }));
    const { request } = await run({ input: withDate, args: { at: '1970' } });
    expect(request.output).toBe(
      [
        'at: "(an instance of Date \\"1970-01-01T00:00:00.000Z\\")"',
        '"a⟨U+202E⟩b": "(a bigint 1)"',
        '(no JSON: at is an instance of Date "1970-01-01T00:00:00.000Z")',
        '(no JSON: a⟨U+202E⟩b is a bigint 1)',
      ].join('\n'),
    );
  });

  it('is what the diff is made of', async () => {
    const { request } = await run({
      name: 'write_file',
      input: below('/etc'),
      args: { path: '/x', content: 'new\n' },
    });
    expect(request.diff).toContain('--- /etc/x');
  });

  it('reaches the conditions and descriptions of the policy, and a function that asks', async () => {
    const told: unknown[] = [];
    const shown: ApprovalRequest[] = [];
    const { executed } = await run({
      input: defaults,
      options: {
        tools: {
          del: {
            when: (_, __, output) => told.push(output?.value) > 0,
            describe: (_, __, output) => JSON.stringify(output?.value),
          },
        },
        ask: (request) => {
          shown.push(request);
          return approve;
        },
      },
    });
    expect(told).toEqual([{ path: '/', force: true }]);
    expect(shown).toMatchObject([
      { output: 'path: "/"\nforce: true', description: '{"path":"/","force":true}' },
    ]);
    expect(executed).toEqual([{ path: '/', force: true }]);
  });

  it.each([
    ['/tmp', 1],
    ['/etc', 0],
  ])('has to be pre-approved, too: below %s', async (root, times) => {
    const knows = definePlugin({
      name: 'knows',
      setup: ({ id, provide }) =>
        provide(preApprovalsKey(id), {
          allows: ({ input }) => (JSON.stringify(input).includes('/etc') ? undefined : 'it is outside /etc'),
        }),
    })();
    const options = { preApprovals: ['knows'] };
    const { executed } = await run({ input: below(root), args: { path: '/x' }, options, plugins: [knows] });
    expect(executed).toHaveLength(times);
  });
});

describe('values that the model never saw', () => {
  const restore = definePlugin({
    name: 'restore',
    priority: 60,
    wrapToolCall: (call, next) => next(withUnseenInput(call, { to: 'anna@example.org' })),
  });

  it('are shown with what the model wrote in their place', async () => {
    const input = { type: 'object' } as const;
    const args = { to: '<EMAIL_1>' };
    const { request } = await run({ input, args, plugins: [restore()] });
    expect(request?.arguments).toContain('anna@example.org');
    expect(request?.description).toBe(
      'The model wrote {"to":"<EMAIL_1>"} and never saw the values that stand in its place.',
    );
  });
});
