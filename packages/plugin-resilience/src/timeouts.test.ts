import { definePlugin, defineTool, textOf } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { agentWith, soon } from '../test/agent.ts';
import { modelRetry, timeouts } from './index.ts';

const never = new Promise<never>(() => {});
const call = { toolCalls: [{ name: 'slow' }] };

describe('a time-out', () => {
  it('ends an attempt of a model that does not answer; a retry follows', async () => {
    const { agent, model } = await agentWith(
      [modelRetry(soon), timeouts({ modelMs: 20 })],
      [{ chunks: [], stall: true } as never, { text: 'Hello.' }],
    );
    expect((await agent.run('Hi')).text).toBe('Hello.');
    expect(model.calls).toBe(2);
  });

  it('ends a tool that hangs, aborts it, and tells the model', async () => {
    let reason: unknown;
    const slow = defineTool({
      name: 'slow',
      description: 'Hangs.',
      input: { type: 'object' },
      execute(_args, { signal }) {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
        return never;
      },
    });
    const { agent } = await agentWith([timeouts({ tools: { 'sl*': 20 } })], [call, { text: 'Done.' }], {
      tools: [slow],
    });
    const { messages } = await agent.run('Go');
    const result = messages.find(({ role }) => role === 'tool');
    expect(result && textOf(result)).toBe('The tool slow did not end within 20 ms.');
    expect(reason).toMatchObject({ code: 'resilience/TOOL_TIMEOUT', transient: true });
  });

  it('does not count the time in gates', async () => {
    const thinks = definePlugin({
      name: 'thinks',
      priority: 1,
      setup({ hooks }) {
        hooks.wrapToolCall.tapPromise({ name: 'think', gate: true }, async (asked, next) => {
          await new Promise((resolve) => void setTimeout(resolve, 60));
          return next(asked);
        });
      },
    })();
    const slow = defineTool({
      name: 'slow',
      description: '',
      input: { type: 'object' },
      execute: () => 'done',
    });
    const { agent } = await agentWith([timeouts({ toolMs: 50 }), thinks], [call, { text: 'Done.' }], {
      tools: [slow],
    });
    const { messages } = await agent.run('Go');
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ content: [{ text: 'done' }] });
  });

  it('counts a tool that runs other agents only where it is named', async () => {
    const slow = defineTool({
      name: 'slow',
      description: 'Delegates.',
      input: { type: 'object' },
      background: { agent: () => undefined },
      execute: () => new Promise((resolve) => void setTimeout(() => resolve('done'), 60)),
    });
    for (const [options, said] of [
      [{ toolMs: 20 }, 'done'],
      [{ tools: { slow: 20 } }, 'The tool slow did not end within 20 ms.'],
    ] as const) {
      const { agent } = await agentWith([timeouts(options)], [call, { text: 'Done.' }], { tools: [slow] });
      const { messages } = await agent.run('Go');
      expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ content: [{ text: said }] });
    }
  });
});
