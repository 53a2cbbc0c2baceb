import { createAgent, definePlugin, defineTool, type JsonObject } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

import hitl, { type HitlOptions } from './index.ts';

/**
 * Deletes /a, as far as the policy lets it, and asks on the way; while it waits, a layer comes to give it /etc instead. What
 * was decided about /a is on record by then.
 */
async function resumedWithOtherArguments(options: HitlOptions): Promise<unknown[]> {
  let path = '/a';
  const done: unknown[] = [];
  const deleteFile = defineTool({
    name: 'delete_file',
    description: 'Deletes a file.',
    input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    async execute(args, { interrupt }) {
      const answer = { type: 'boolean' } as const;
      await interrupt({ kind: 'sure', payload: args, answer });
      done.push(args);
      return 'deleted';
    },
  });
  const changing = definePlugin({
    name: 'changing',
    wrapToolCall: (call, next) => next({ ...call, input: { path } }),
  })();
  const agent = await createAgent({
    model: scriptedModel([{ toolCalls: [{ name: 'delete_file', args: { path } }] }, { text: 'Done.' }]),
    tools: [deleteFile],
    log: 'silent',
    plugins: [hitl(options), changing],
  });
  onTestFinished(() => agent.close());
  const { interrupts } = await agent.run('Go', { sessionId: 's' });
  expect(interrupts).toMatchObject([{ kind: 'sure', payload: { path: '/a' } }]);
  path = '/etc';
  const result = await agent.resume('s', Object.fromEntries(interrupts.map(({ id }) => [id, true])));
  expect(result.outcome).toBe('completed');
  return done;
}

describe('a call that is half done and comes back with other arguments', () => {
  it('is asked about again, though a person approved what it was', async () => {
    const asked: unknown[] = [];
    const done = await resumedWithOtherArguments({
      ask({ call: { input } }) {
        asked.push(input);
        return { decision: asked.length === 1 ? 'approve' : 'reject' };
      },
    });
    expect(asked).toEqual([{ path: '/a' }, { path: '/etc' }]);
    expect(done).toEqual([]);
  });

  it('is asked about, though the policy let through what it was', async () => {
    const done = await resumedWithOtherArguments({
      tools: { delete_file: { when: ({ input }) => (input as JsonObject)['path'] !== '/a' } },
      ask: 'deny',
    });
    expect(done).toEqual([]);
  });
});
