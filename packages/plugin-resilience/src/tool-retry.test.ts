import { definePlugin, defineTool, ShallotError, type ToolDefinition } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { agentWith, soon } from '../test/agent.ts';
import { toolRetry, type ToolRetryOptions } from './index.ts';

const busy = new ShallotError('shop/BUSY', { message: 'The shop is busy.', transient: true });
const steps = [{ toolCalls: [{ name: 'shop' }] }, { text: 'Done.' }];

/** Returns the executions of a run whose tool fails this often. */
async function executionsOf(
  failures: number,
  options: ToolRetryOptions,
  {
    effect = 'read',
    error = busy,
    background,
  }: { effect?: ToolDefinition['effect']; error?: Error; background?: ToolDefinition['background'] } = {},
): Promise<string[]> {
  const executed: string[] = [];
  const shop = defineTool({
    name: 'shop',
    description: 'Sells.',
    input: { type: 'object' },
    ...(effect !== undefined && { effect }),
    ...(background !== undefined && { background }),
    execute(_args, { idempotencyKey }) {
      executed.push(idempotencyKey);
      if (executed.length <= failures) throw error;
      return 'sold';
    },
  });
  const { agent } = await agentWith([toolRetry({ ...soon, ...options })], steps, { tools: [shop] });
  await agent.run('Go');
  return executed;
}

describe('a tool call', () => {
  it('is retried after a transient failure, with the same idempotency key', async () => {
    const executed = await executionsOf(2, {}, { effect: 'idempotent' });
    expect(executed).toHaveLength(3);
    expect(new Set(executed).size).toBe(1);
  });

  it.each([
    ['it may have had an effect', 1, {}, { effect: 'write' as const }],
    ['the failure will not pass', 1, {}, { error: new Error('no such honey') }],
    ['other tools are named', 1, { tools: ['shelf*'] }, {}],
    ['the tool runs other agents', 1, {}, { background: { agent: () => undefined } }],
  ])('is not when %s', async (_, failures, options, given) => {
    expect(await executionsOf(failures, options, given)).toHaveLength(1);
  });

  it('is when its tool is named, whatever its effect', async () => {
    expect(await executionsOf(1, { tools: ['sh*'] }, { effect: 'write' })).toHaveLength(2);
  });

  it('is when a function says so, of the tools that may be retried', async () => {
    const error = new Error('temporarily unavailable');
    const when: ToolRetryOptions['when'] = ({ error: thrown }) =>
      thrown instanceof Error && thrown.message.includes('temporarily');
    expect(await executionsOf(2, { when }, { error })).toHaveLength(3);
    expect(await executionsOf(1, { when }, { error, effect: 'write' })).toHaveLength(1);
    expect(await executionsOf(1, { when, tools: ['shop'] }, { error, effect: 'write' })).toHaveLength(2);
    expect(await executionsOf(1, { when: () => false })).toHaveLength(1);
    expect(await executionsOf(1, { when: () => undefined })).toHaveLength(2);
  });

  it('is when a function is not content with its result', async () => {
    const results: string[] = [];
    const when: ToolRetryOptions['when'] = ({ call, result }) => {
      const [part] = result.content;
      results.push(`${call.name}: ${part?.type === 'text' ? part.text : ''}`);
      return results.length < 2;
    };
    expect(await executionsOf(0, { when })).toHaveLength(2);
    expect(results).toEqual(['shop: sold', 'shop: sold']);
  });

  it('is not when it was denied', async () => {
    let asked = 0;
    const denies = definePlugin({
      name: 'denies',
      setup({ hooks }) {
        hooks.wrapToolCall.tap({ name: 'deny', gate: true }, () => {
          asked += 1;
          return { content: [], isError: true, denied: { by: 'denies' } };
        });
      },
    })();
    const shop = defineTool({
      name: 'shop',
      description: '',
      input: { type: 'object' },
      effect: 'read',
      execute: () => '',
    });
    const { agent } = await agentWith([toolRetry({ ...soon, when: () => true }), denies], steps, {
      tools: [shop],
    });
    await agent.run('Go');
    expect(asked).toBe(1);
  });

  it('that a person approved is asked about again before it is executed again', async () => {
    const executed: number[] = [];
    const shop = defineTool({
      name: 'shop',
      description: 'Sells.',
      input: { type: 'object' },
      effect: 'idempotent',
      execute() {
        executed.push(1);
        if (executed.length === 1) throw busy;
        return 'sold';
      },
    });
    const approves = definePlugin({
      name: 'approves',
      setup({ hooks }) {
        hooks.wrapToolCall.tapPromise({ name: 'ask', gate: true }, async (call, next, scope) => {
          await scope.interrupt({ kind: 'approval', payload: call.name, answer: { type: 'boolean' } });
          return next(call);
        });
      },
    })();
    const { agent } = await agentWith([toolRetry(soon), approves], steps, { tools: [shop] });
    let result = await agent.run('Go', { sessionId: 's' });
    const questions: string[] = [];
    while (result.outcome === 'interrupted' && questions.length < 9) {
      const id = result.interrupts[0]?.id ?? '';
      questions.push(id);
      result = await agent.resume('s', { [id]: true });
    }
    expect({ executed: executed.length, questions: new Set(questions).size }).toEqual({
      executed: 2,
      questions: 2,
    });
  });
});
