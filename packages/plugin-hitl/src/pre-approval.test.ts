import { createAgent, definePlugin, defineTool, type Plugin, type ToolCall } from '@shallot/core';
import { preApprovalsKey, type PreApprovals } from '@shallot/core/plugin';
import { collectEvents, scriptedModel } from '@shallot/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import hitl from './index.ts';

/** A plugin that holds calls to need no approval. */
function allowing(allows: PreApprovals['allows'], name = 'permits'): Plugin {
  return definePlugin({ name, setup: ({ id, provide }) => provide(preApprovalsKey(id), { allows }) })();
}

/** An agent whose model calls `bash` once, guarded by an approval plugin that may trust others. */
async function bench(plugins: readonly Plugin[], preApprovals: readonly string[]) {
  const done: unknown[] = [];
  const bash = defineTool({
    name: 'bash',
    description: 'Runs a command.',
    input: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    execute: ({ command }) => {
      done.push(command);
      return 'ok';
    },
  });
  const model = scriptedModel([
    { toolCalls: [{ name: 'bash', args: { command: 'git add .' } }] },
    { text: 'Done.' },
  ]);
  const agent = await createAgent({
    model,
    tools: [bash],
    log: 'silent',
    plugins: [hitl({ preApprovals }), ...plugins],
  });
  onTestFinished(() => agent.close());
  return { agent, done };
}

const isGitAdd = ({ input }: ToolCall): string | undefined =>
  (input as { readonly command: string }).command.startsWith('git add') ? 'git add is allowed' : undefined;

describe('pre-approvals', () => {
  it('let a call pass unasked when their plugin is trusted, and an event says why', async () => {
    const { agent, done } = await bench([allowing(isGitAdd)], ['permits']);
    const { events, result } = await collectEvents(agent.stream('Go'));
    expect(result?.outcome).toBe('completed');
    expect(done).toEqual(['git add .']);
    expect(events.filter(({ type }) => type === 'plugin')).toMatchObject([
      {
        plugin: 'hitl',
        name: 'pre-approved',
        data: { tool: 'bash', by: 'permits', because: 'git add is allowed' },
      },
    ]);
  });

  it('count for nothing by default', async () => {
    const { agent, done } = await bench([allowing(isGitAdd)], []);
    expect(await agent.run('Go')).toMatchObject({ outcome: 'interrupted' });
    expect(done).toEqual([]);
  });

  it('of a plugin that is not trusted count for nothing beside those of one that is', async () => {
    const plugins = [allowing(() => undefined), allowing(isGitAdd, 'other')];
    const { agent, done } = await bench(plugins, ['permits']);
    expect(await agent.run('Go')).toMatchObject({ outcome: 'interrupted' });
    expect(done).toEqual([]);
  });

  it.each<readonly [string, () => unknown]>([
    ['gives nothing', () => undefined],
    ['gives true', () => true],
    ['gives an empty text', () => ''],
    ['gives an object', () => ({ because: 'yes' })],
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('ask when the plugin %s', async (_, allows) => {
    const { agent, done } = await bench([allowing(allows as PreApprovals['allows'])], ['permits']);
    expect(await agent.run('Go')).toMatchObject({ outcome: 'interrupted' });
    expect(done).toEqual([]);
  });

  it('ask when the plugin has been removed', async () => {
    const { agent, done } = await bench([allowing(isGitAdd)], ['permits']);
    await agent.remove('permits');
    expect(await agent.run('Go')).toMatchObject({ outcome: 'interrupted' });
    expect(done).toEqual([]);
  });

  it('that come too late do not overrule the person who was asked', async () => {
    let allowed = false;
    const late = allowing(() => (allowed ? 'now it is' : undefined));
    const { agent, done } = await bench([late], ['permits']);
    const { interrupts } = await agent.run('Go', { sessionId: 's' });
    allowed = true;
    await agent.resume('s', { [interrupts[0]?.id ?? '']: { decision: 'reject' } });
    expect(done).toEqual([]);
  });

  it('of a plugin that is not there, or provides none, are refused at the start', async () => {
    for (const plugins of [[], [definePlugin({ name: 'permits', setup() {} })()]]) {
      await expect(bench(plugins, ['permits'])).rejects.toMatchObject({ code: 'hitl/NO_PRE_APPROVALS' });
    }
  });
});
