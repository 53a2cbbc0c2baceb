import { defineTool, isShallotError, type Interrupt, type RunResult } from '@shallot/core';
import type { Decision, KeptRules } from '@shallot/core/plugin';
import { collectEvents, scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { approve, bench, del, idOf, started, toolMessages } from '../test/approvals.ts';

const always = (rule: string, scope: 'session' | 'project' = 'session'): Decision => ({
  decision: 'approve',
  always: { scope, rule },
});

const rule = 'delete_file(path=/a)';

/** Returns the code with which an answer is refused: by the schema of the question, or by a look at the call. */
async function refusal(resume: () => Promise<RunResult>): Promise<string | undefined> {
  const errors = await resume().then(
    (result) => result.errors,
    (error: unknown) => [error],
  );
  return errors.map((error) => (isShallotError(error) ? error.code : String(error)))[0];
}

/** Rules that a project keeps, in memory. */
function projectRules(...rules: string[]): KeptRules & { readonly rules: string[] } {
  return {
    rules,
    from: '/p/.shallot/permissions.yaml',
    list: () => rules,
    add: async (added) => void rules.push(added),
    remove: async () => false,
  };
}

describe('a question', () => {
  it('proposes the narrowest rule, with the scopes, beside what is asked', async () => {
    const { first } = await started([del('/a')], {});
    expect(first.interrupts[0]?.details).toEqual({ always: { scopes: ['session'], rule } });
    const inProject = await started([del('/a')], {}, { permissionFiles: { project: projectRules() } });
    expect(inProject.first.interrupts[0]?.details).toMatchObject({
      always: { scopes: ['session', 'project'] },
    });
    // The id of a question depends on what is asked alone.
    expect(inProject.first.interrupts[0]?.payload).toEqual(first.interrupts[0]?.payload);
  });

  it('has the schema of the arguments, for a form', async () => {
    const { first } = await started([del('/a')], {});
    expect(first.interrupts[0]?.call?.inputSchema).toMatchObject({ required: ['path'] });
  });

  it.each<readonly [string, { readonly args: object }]>([
    ['several arguments', { args: { path: '/a', content: 'b' } }],
    ['a star', { args: { path: '/*', content: 'b' } }],
  ])('proposes no rule for %s', async (_, { args }) => {
    const { first } = await started([{ name: 'write_file', args: { ...args } }], {});
    expect(first.interrupts[0]?.details).toEqual({ always: { scopes: ['session'] } });
  });

  it('that a rule asks cannot be answered with "always"', async () => {
    const { first, live } = await started([del('/a')], {}, { permissions: { ask: ['delete_file'] } });
    expect(first.interrupts[0]?.details).toBeUndefined();
    await expect(
      live.resume('s', { [idOf(first.interrupts[0])]: { ...always(rule) } }),
    ).rejects.toMatchObject({
      code: 'INTERRUPT_ANSWER',
    });
  });
});

describe('an answer with "always"', () => {
  it('executes the call, and later ones that the rule covers without a question', async () => {
    const { live, ids, done } = await started([del('/a')], {});
    const { events, result } = await collectEvents(
      live.streamResume('s', { [ids[0] ?? '']: { ...always(rule) } }),
    );
    expect(result?.outcome).toBe('completed');
    expect(events.filter(({ type }) => type === 'plugin')).toMatchObject([
      { name: 'rule-kept', data: { rule, scope: 'session' } },
    ]);
    expect(done).toEqual(['delete {"path":"/a"}']);
    expect((await live.session('s'))?.state['hitl']?.['permissions']?.value).toEqual({ rules: [rule] });
  });

  it('holds in its session, and not in others', async () => {
    const subject = bench([del('/a')], {});
    const live = await subject.agent();
    const first = await live.run('Go', { sessionId: 'one' });
    await live.resume('one', { [idOf(first.interrupts[0])]: { ...always(rule) } });
    expect(await live.permissions?.judge({ name: 'delete_file', input: { path: '/a' } }, {})).toMatchObject({
      is: 'ask',
    });
  });

  it('leaves other open questions that its rule covers open, and a person overrules it there', async () => {
    const { live, first, done } = await started([del('/a'), del('/b')], {});
    const [one, other] = first.interrupts as [Interrupt, Interrupt];
    const wide = 'delete_file(path=*)';
    const { interrupts } = await live.resume('s', { [one.id]: { ...always(wide) } });
    expect(interrupts.map(({ id }) => id)).toEqual([other.id]);
    const call = other.call ?? { name: '', input: {} };
    expect(await live.permissions?.covers(wide, call)).toBe(true);
    const { state } = (await live.session('s')) ?? {};
    expect(await live.permissions?.keptFor(call, state)).toEqual([wide]);
    expect(await live.permissions?.keptFor({ name: 'write_file', input: {} }, state)).toEqual([]);
    const { messages } = await live.resume('s', { [other.id]: { decision: 'reject' } });
    expect(done).toEqual(['delete {"path":"/a"}']);
    expect(toolMessages(messages)).toContainEqual(expect.stringContaining('delete_file DENIED'));
  });

  it('to a call without arguments covers no call with any', async () => {
    const sync = defineTool({
      name: 'sync',
      description: 'Synchronizes.',
      input: { type: 'object', properties: { force: { type: 'boolean' } } },
      execute: (args) => void synced.push(args),
    });
    const synced: unknown[] = [];
    const calls = [{}, {}, { force: true }].map((args) => ({ toolCalls: [{ name: 'sync', args }] }));
    const model = scriptedModel([...calls, { text: 'Done.' }]);
    const { live, first } = await started([], {}, { tools: [sync], model });
    expect(first.interrupts[0]?.details).toMatchObject({ always: { rule: 'sync()' } });
    const { interrupts } = await live.resume('s', { [idOf(first.interrupts[0])]: { ...always('sync()') } });
    expect(interrupts.map(({ call }) => call?.input)).toEqual([{ force: true }]);
    expect(synced).toEqual([{}, {}]);
  });

  it('for the project is kept there', async () => {
    const project = projectRules();
    const { live, ids } = await started([del('/a')], {}, { permissionFiles: { project } });
    await live.resume('s', { [ids[0] ?? '']: { ...always(rule, 'project') } });
    expect(project.rules).toEqual([rule]);
    expect(live.permissions?.rules()).toEqual([{ list: 'allow', rule, from: project.from }]);
  });

  it.each<readonly [string, KeptRules | undefined]>([
    ['there is none', undefined],
    [
      'its file cannot be changed',
      { ...projectRules(), add: () => Promise.reject(new Error('the disk is full')) },
    ],
  ])('for the project holds for the session where %s, and a warning says so', async (_, project) => {
    const files = project === undefined ? {} : { permissionFiles: { project } };
    const { live, ids } = await started([del('/a')], {}, files);
    const { events } = await collectEvents(
      live.streamResume('s', { [ids[0] ?? '']: { ...always(rule, 'project') } }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'warning', code: 'hitl/RULE_FOR_SESSION' }),
    );
    expect((await live.session('s'))?.state['hitl']?.['permissions']?.value).toEqual({ rules: [rule] });
  });

  it.each<readonly [string, string]>([
    ['does not cover the call', 'delete_file(path=/b)'],
    ['is about another tool', 'write_file(path=/a)'],
    ['is not balanced', 'delete_file(path=/a'],
    ['holds hidden characters', 'delete_file(path=/a\u200B*)'],
    ['holds a secret', 'delete_file(path=*/a*sk-ant-api03-0123456789abcdefghij*)'],
    ['is wider than may be kept', 'delete_file'],
  ])('is refused at once if its rule %s', async (_, text) => {
    const permissions = { mayKeep: ['delete_file(path=/*)'] };
    const { live, ids, done } = await started([del('/a')], {}, { permissions });
    expect(await refusal(() => live.resume('s', { [ids[0] ?? '']: { ...always(text) } }))).toBe(
      'INTERRUPT_ANSWER',
    );
    expect(done).toEqual([]);
    expect((await live.session('s'))?.interrupts).toHaveLength(1);
  });

  it('of a function in the process is kept, too', async () => {
    const asked: unknown[] = [];
    const { live, done } = await started([del('/a')], {
      ask: ({ always: offered }) => {
        asked.push(offered);
        return always(rule);
      },
    });
    expect(asked).toEqual([{ scopes: ['session'], rule }]);
    expect(done).toHaveLength(1);
    expect((await live.session('s'))?.state['hitl']?.['permissions']?.value).toEqual({ rules: [rule] });
  });
});

describe('the mode of a session', () => {
  it('is chosen between its runs, and kept with it', async () => {
    const { agent, done } = bench([del('/a')], {});
    const live = await agent();
    live.permissions?.chooseMode('s', 'read-only');
    expect(live.permissions?.modeOf('s', undefined)).toBe('read-only');
    const { messages } = await live.run('Go', { sessionId: 's' });
    expect(done).toEqual([]);
    expect(toolMessages(messages)).toEqual([
      'delete_file DENIED: The call of delete_file was rejected and not executed: the mode is "read-only", and this is not known to be a read',
    ]);
    const { state } = (await live.session('s')) ?? {};
    expect(live.permissions?.modeOf('s', state)).toBe('read-only');
    expect(live.permissions?.modeOf('other', undefined)).toBe('ask');
  });

  it('is never wider than maxMode, of the config and of the person', async () => {
    const narrow = [
      { permissions: { maxMode: 'ask' as const } },
      { permissionFiles: { person: { from: 'p', ask: [], deny: [], maxMode: 'ask' as const } } },
    ];
    for (const options of narrow) {
      await using live = await bench([], {}, options).agent();
      expect(() => live.permissions?.chooseMode('s', 'edits')).toThrow(
        expect.objectContaining({ code: 'hitl/MODE_TOO_WIDE' }) as Error,
      );
      const kept = { hitl: { permissions: { version: 1, value: { rules: [], mode: 'edits' } } } };
      expect(live.permissions?.modeOf('s', kept)).toBe('ask');
    }
  });
});

it('rules of a person refuse and ask beside those of the config', async () => {
  const person = {
    from: '/home/me/permissions.yaml',
    ask: ['read_file'],
    deny: ['delete_file'],
    maxMode: undefined,
  };
  const { first, done } = await started(
    [del('/a'), { name: 'read_file', args: { path: '/a' } }],
    {},
    { permissions: { allow: ['*'] }, permissionFiles: { person } },
  );
  expect(done).toEqual([]);
  expect(first.interrupts.map(({ call }) => call?.name)).toEqual(['read_file']);
});

it('a record of before, with an open question, is resumed by its old answer', async () => {
  const { live, first, store, done } = await started([del('/a')], {});
  const record = await store.load('s');
  const id = idOf(first.interrupts[0]);
  // As it was written before there were verdicts, details and schemas of arguments.
  const journal = Object.fromEntries(Object.keys(record?.journal ?? {}).map((key) => [key, null]));
  await store.commit('s', record?.revision ?? 0, { journal });
  await live.resume('s', { [id]: approve });
  expect(done).toEqual(['delete {"path":"/a"}']);
});
