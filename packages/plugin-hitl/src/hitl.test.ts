import { defineTool, textOf, type ToolCall } from '@shallot/core';
import type { Decision } from '@shallot/core/plugin';
import { testPlugin } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { approve, bench, del, guarded, layer, started, toolMessages } from '../test/approvals.ts';
import hitl, { type HitlOptions } from './index.ts';

await testPlugin(hitl, {
  options: { tools: { 'delete_*': true } },
  manifest: new URL('../package.json', import.meta.url),
});

describe('a guarded call', () => {
  it('waits, and is executed once it is approved', async () => {
    const { live, first, ids, done } = await started([del('/a')], guarded);
    expect(first).toMatchObject({
      outcome: 'interrupted',
      interrupts: [{ kind: 'approval', plugin: 'hitl' }],
    });
    expect(done).toEqual([]);
    const result = await live.resume('s', { [ids[0] ?? '']: approve });
    expect(done).toEqual(['delete {"path":"/a"}']);
    expect(result.outcome).toBe('completed');
  });

  it('is not executed when it is rejected, and the model is told why', async () => {
    const { live, ids, done, model } = await started([del('/a')], guarded);
    await live.resume('s', { [ids[0] ?? '']: { decision: 'reject', reason: 'it is mine' } });
    expect(done).toEqual([]);
    const last = model.requests.at(-1)?.messages.at(-1);
    expect(last).toMatchObject({ role: 'tool', isError: true, denied: { by: 'hitl', reason: 'it is mine' } });
    expect(toolMessages(last === undefined ? [] : [last])).toEqual([
      'delete_file DENIED: The call of delete_file was rejected and not executed: it is mine',
    ]);
  });

  it('can be answered instead of executed', async () => {
    const { live, ids, done } = await started([del('/a')], guarded);
    const result = await live.resume('s', {
      [ids[0] ?? '']: { decision: 'respond', content: 'It is gone already.' },
    });
    expect(done).toEqual([]);
    expect(toolMessages(result.messages)).toEqual(['delete_file: It is gone already.']);
  });

  it('can be changed, and the model is told what was executed', async () => {
    const { live, ids, done, model } = await started([del('/a')], guarded);
    await live.resume('s', { [ids[0] ?? '']: { decision: 'edit', args: { path: '/b' } } });
    expect(done).toEqual(['delete {"path":"/b"}']);
    expect(toolMessages(model.requests.at(-1)?.messages ?? [])).toEqual([
      'delete_file: A person changed this call. It became delete_file with {"path":"/b"} | deleted',
    ]);
    const changed = model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool');
    expect(changed && textOf(changed)).toMatch(/with {"path":"\/b"}\ndeleted$/);
  });

  it('is guarded by default, whatever the tool', async () => {
    const { first, done } = await started([{ name: 'read_file', args: { path: '/a' } }], {});
    expect(first.interrupts).toHaveLength(1);
    expect(done).toEqual([]);
  });

  it('allows only the decisions that its policy names', async () => {
    const options: HitlOptions = { tools: { delete_file: { decisions: ['approve', 'reject'] } } };
    const { live, ids, done } = await started([del('/a')], options);
    const edit = { decision: 'edit', args: { path: '/b' } };
    await expect(live.resume('s', { [ids[0] ?? '']: edit })).rejects.toMatchObject({
      code: 'INTERRUPT_ANSWER',
    });
    expect(done).toEqual([]);
  });

  it('is asked about only when the policy says so; anything but false asks', async () => {
    const when = ({ input }: ToolCall): boolean => {
      const { path } = input as { readonly path: string };
      return path.startsWith('/tmp') ? false : (undefined as unknown as boolean);
    };
    const { first, done } = await started([del('/tmp/a'), del('/b')], { tools: { '*': { when } } });
    expect(done).toEqual(['delete {"path":"/tmp/a"}']);
    expect(first.interrupts).toMatchObject([{ call: { input: { path: '/b' } } }]);
  });

  it('is denied when the condition fails', async () => {
    const when = (): boolean => {
      throw new Error('no idea');
    };
    const { first, done } = await started([del('/a')], { tools: { '*': { when } } });
    expect(done).toEqual([]);
    expect(toolMessages(first.messages)).toEqual([expect.stringContaining('DENIED')]);
  });
});

describe('the policy', () => {
  it('refuses the name of a tool that is not there, with the nearest one', async () => {
    await expect(bench([], { tools: { delete_flie: true } }).agent()).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean "delete_file"?') as string,
      plugin: 'hitl',
    });
  });

  it.each<readonly [string, unknown, string]>([
    ['empty decisions', { tools: { delete_file: { decisions: [] } } }, 'tools.delete_file.decisions'],
    ['an unknown decision', { tools: { delete_file: { decisions: ['aprove'] } } }, 'aprove'],
    ['an unknown key', { tools: { delete_file: { decision: ['approve'] } } }, 'tools.delete_file.decision'],
    ['an unknown option', { tool: {} }, 'tool'],
    ['a policy that is none', { tools: { delete_file: 'yes' } }, 'tools.delete_file'],
    ['a list of tools', { tools: ['delete_file'] }, 'tools'],
    ['another way to ask', { ask: 'always' }, 'always'],
    ['a callback that may hang for ever', { askTimeoutMs: Number.POSITIVE_INFINITY }, 'askTimeoutMs'],
  ])('refuses %s when the agent starts', async (_, options, said) => {
    const subject = bench([], options as HitlOptions);
    await expect(subject.agent()).rejects.toMatchObject({
      code: 'PLUGIN_OPTIONS',
      message: expect.stringContaining(said) as string,
    });
  });

  it('takes the most exact of its names', async () => {
    const options: HitlOptions = {
      tools: { '*': true, '*_file': true, 'read_f*': false, 'write_*': true, write_file: false },
    };
    const calls = [
      { name: 'read_file', args: { path: '/a' } },
      { name: 'write_file', args: { path: '/a', content: '' } },
      del('/a'),
    ];
    const { first } = await started(calls, options);
    expect(first.interrupts.map(({ call }) => call?.name)).toEqual(['delete_file']);
  });

  it('asks when two of its names are as exact as each other', async () => {
    for (const tools of [
      { '*_file': true, 'read_*': false },
      { 'read_*': false, '*_file': true },
    ]) {
      const { first } = await started([{ name: 'read_file', args: { path: '/a' } }], { tools });
      expect(first.interrupts).toHaveLength(1);
    }
  });

  it('is decided about at once, however many stars the names have', async () => {
    const stars = `${'*a'.repeat(40)}*b`;
    const long = defineTool({
      name: 'a'.repeat(64),
      description: 'Has a long name.',
      input: { type: 'object' },
      execute: () => 'unasked',
    });
    const subject = bench([{ name: long.name }], { tools: { [stars]: true } }, { tools: [long] });
    const { outcome } = await (await subject.agent()).run('Go');
    expect(outcome).toBe('completed');
  });

  it('guards tools that come later, by a pattern', async () => {
    const subject = bench([{ name: 'later_tool' }], { tools: { 'later_*': true } });
    const agent = await subject.agent();
    agent.tools.add(
      defineTool({
        name: 'later_tool',
        description: 'Comes later.',
        input: { type: 'object' },
        execute: () => subject.done.push('later'),
      }),
    );
    expect(await agent.run('Go')).toMatchObject({ outcome: 'interrupted' });
    expect(subject.done).toEqual([]);
  });
});

describe('asking in the process', () => {
  const asking = (ask: NonNullable<HitlOptions['ask']>, rest: HitlOptions = {}): HitlOptions => ({
    ...guarded,
    ...rest,
    ask,
  });

  it('shows the request, and does what is decided', async () => {
    const seen: unknown[] = [];
    const options = asking((request, { run }) => {
      seen.push({ ...request, sessionId: run.sessionId });
      return approve;
    });
    const { first, done } = await started([del('/a')], options);
    expect(done).toEqual(['delete {"path":"/a"}']);
    expect(first.outcome).toBe('completed');
    expect(seen).toMatchObject([
      { tool: 'delete_file', arguments: 'path: "/a"', call: { input: { path: '/a' } }, sessionId: 's' },
    ]);
  });

  it.each<readonly [string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['never settles', () => new Promise(() => {})],
    ['answers nothing', () => undefined],
    ['answers true', () => true],
    ['answers a word', () => 'approve'],
    ['answers an unknown decision', () => ({ decision: 'allow' })],
    ['answers in another case', () => ({ decision: 'Approve' })],
    ['answers a list', () => [approve]],
    [
      'approves with arguments, which would be ignored',
      () => ({ decision: 'approve', args: { path: '/b' } }),
    ],
    ['edits without arguments', () => ({ decision: 'edit' })],
    ['edits into invalid arguments', () => ({ decision: 'edit', args: { paht: '/b' } })],
    ['edits into a tool that does not exist', () => ({ decision: 'edit', args: {}, name: 'rm' })],
    ['edits into what is not JSON', () => ({ decision: 'edit', args: { path: '/b', at: new Date() } })],
    ['responds without content', () => ({ decision: 'respond' })],
    ['inherits its decision', () => Object.create({ decision: 'approve' }, {}) as unknown],
  ])('denies when the callback %s', async (name, answer) => {
    const options = asking(answer as () => Decision, { askTimeoutMs: name === 'never settles' ? 30 : 5000 });
    const { first, done } = await started([del('/a')], options);
    expect(done).toEqual([]);
    expect(first.outcome).toBe('completed');
    expect(toolMessages(first.messages)).toEqual([
      expect.stringMatching(/^delete_file DENIED: .*not executed: it needs an approval/),
    ]);
  });

  it('tells a callback that is too slow to stop', async () => {
    let signal: AbortSignal | undefined;
    const options = asking(
      (_, context) => {
        ({ signal } = context);
        return new Promise(() => {});
      },
      { askTimeoutMs: 20 },
    );
    await started([del('/a')], options);
    expect(signal?.aborted).toBe(true);
  });

  it('denies when nobody is to be asked', async () => {
    const { first, done } = await started([del('/a')], asking('deny'));
    expect(done).toEqual([]);
    expect(toolMessages(first.messages)).toEqual([expect.stringContaining('available to ask')]);
  });

  it('does not ask twice about a call that is taken up again', async () => {
    let asked = 0;
    const outer = layer('outer', async (call, next, scope) => {
      const result = await next(call);
      await scope.interrupt({ kind: 'look', payload: null, answer: { type: 'null' } });
      return result;
    });
    const reject = (): Decision => {
      asked += 1;
      return { decision: 'reject' };
    };
    const { live, ids } = await started([del('/a')], asking(reject), { plugins: [outer] });
    await live.resume('s', { [ids[0] ?? '']: null });
    expect(asked).toBe(1);
  });
});

describe('several calls of one step', () => {
  const calls = [del('/a'), { name: 'read_file', args: { path: '/r' } }, del('/b'), del('/c')];

  it('are each answered as decided, in their order, and nothing dangles', async () => {
    const { live, first, ids, done } = await started(calls, guarded);
    expect(first.interrupts.map(({ call }) => call?.input)).toEqual([
      { path: '/a' },
      { path: '/b' },
      { path: '/c' },
    ]);
    expect(done).toEqual(['read {"path":"/r"}']);
    const [a = '', b = '', c = ''] = ids;
    const result = await live.resume('s', {
      [a]: approve,
      [b]: { decision: 'reject', reason: 'no' },
      [c]: { decision: 'edit', args: { path: '/d' } },
    });
    expect(done).toEqual(['read {"path":"/r"}', 'delete {"path":"/a"}', 'delete {"path":"/d"}']);
    expect(toolMessages(result.messages)).toEqual([
      'delete_file: deleted',
      'read_file: content',
      'delete_file DENIED: The call of delete_file was rejected and not executed: no',
      expect.stringContaining('{"path":"/d"} | deleted'),
    ]);
    expect(result.outcome).toBe('completed');
  });

  it('can be answered one by one, in any order, by agents that know nothing of each other', async () => {
    const { ids, done, agent } = await started(calls, guarded);
    for (const [at, left] of [
      [2, 2],
      [0, 1],
      [1, 0],
    ] as const) {
      const next = await agent();
      const result = await next.resume('s', { [ids[at] ?? '']: approve });
      expect(result.interrupts).toHaveLength(left);
      await next.close();
    }
    expect(done.toSorted()).toEqual([
      'delete {"path":"/a"}',
      'delete {"path":"/b"}',
      'delete {"path":"/c"}',
      'read {"path":"/r"}',
    ]);
  });

  it('keep what was asked when one answer of several is wrong', async () => {
    const { live, ids, done } = await started(calls, guarded);
    const [a = '', b = ''] = ids;
    await expect(live.resume('s', { [a]: approve, [b]: { decision: 'aprove' } })).rejects.toMatchObject({
      code: 'INTERRUPT_ANSWER',
    });
    await expect(live.resume('s', { [a]: approve, int_unknown: approve })).rejects.toMatchObject({
      code: 'INTERRUPT_UNKNOWN',
    });
    expect(done).toEqual(['read {"path":"/r"}']);
    expect((await live.session('s'))?.interrupts).toHaveLength(3);
  });

  it('leave a question open whose edit the tool refuses', async () => {
    const { live, ids, done } = await started([del('/a')], guarded);
    const again = await live.resume('s', { [ids[0] ?? '']: { decision: 'edit', args: { path: 1 } } });
    expect(again).toMatchObject({ outcome: 'interrupted', interrupts: [{ id: ids[0] }] });
    expect(again.errors).toMatchObject([
      { code: 'INTERRUPT_ANSWER', plugin: 'hitl', message: expect.stringContaining('path') as string },
    ]);
    expect(done).toEqual([]);
    await live.resume('s', { [ids[0] ?? '']: approve });
    expect(done).toEqual(['delete {"path":"/a"}']);
  });
});

describe('a tool that the provider executes', () => {
  it.each(['web_search', 'web_*'])('is refused in a policy, as no gate sees its calls: %s', async (name) => {
    const { agent } = bench([], { tools: { [name]: true } }, { providerTools: ['openai.web_search'] });
    await expect(agent()).rejects.toMatchObject({
      code: 'hitl/PROVIDER_TOOL',
      message: expect.stringContaining('the provider executes openai.web_search itself') as unknown,
    });
  });

  it('is no obstacle to a policy for all tools', async () => {
    const { agent } = bench([del('/a')], { tools: { '*': true } }, { providerTools: ['openai.web_search'] });
    const live = await agent();
    expect((await live.run('x')).interrupts).toHaveLength(1);
    await live.close();
  });
});
