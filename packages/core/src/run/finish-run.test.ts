import { describe, expect, it } from 'vitest';

import { collectEvents } from '../../../testing/src/collect-events.ts';
import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { ShallotError } from '../base/errors.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Store } from '../contract/store.ts';
import { defineTool } from '../contract/tool.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { submitRun } from '../workers/submit-run.ts';

const failed = (message: string): ShallotError => new ShallotError('STORE_FAILED', { message });

describe('the end of a run', () => {
  it('says once that lines of the log were lost', async () => {
    await using agent = await createAgent({
      model: scriptedModel([{ text: 'a' }, { text: 'b' }]),
      log: 'info',
      logStream: {
        write() {
          throw new Error('the disk is full');
        },
      },
      plugins: [definePlugin({ name: 'noisy', beforeAgent: (run) => run.log.info('hello') })()],
    });
    const codes: string[] = [];
    for (const input of ['1', '2']) {
      const { events } = await collectEvents(agent.stream(input));
      for (const event of events) if (event.type === 'warning') codes.push(event.code);
    }
    expect(codes).toEqual(['LOG_LOST']);
  });

  it('lists an error of an interceptor of afterAgent, and keeps the result', async () => {
    const spy = definePlugin({
      name: 'spy',
      setup({ hooks }) {
        hooks.afterAgent.tap('x', () => {});
        hooks.afterAgent.intercept({
          call() {
            throw new Error('no');
          },
        });
      },
    })();
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([{ text: 'Done.' }]),
      plugins: [spy],
    });
    expect(await agent.run('Go')).toMatchObject({
      outcome: 'completed',
      text: 'Done.',
      errors: [{ code: 'HOOK_INTERCEPTOR', plugin: 'spy' }],
    });
  });

  it('stays what it is if the messages that were not read cannot be loaded', async () => {
    const inner = memoryStore();
    let isOver = false;
    // A store of another process: nothing of it is in memory.
    const store: Store = {
      ...inner,
      async commit(...args) {
        const revision = await inner.commit(...args);
        isOver ||= args[2].run?.status === 'completed';
        return revision;
      },
      async inbox(...args) {
        if (isOver) throw failed('the line is dead');
        return (await inner.inbox?.(...args)) ?? [];
      },
    };
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([{ text: 'Done.' }]),
      store,
    });
    const result = await agent.run('Go', { sessionId: 's' });
    expect(result).toMatchObject({ outcome: 'completed', text: 'Done.', errors: [{ code: 'STORE_FAILED' }] });
    expect(result.unread).toBeUndefined();
  });
});

it('a run that its worker hands back stays one for workers', async () => {
  const store = memoryStore();
  const stopping = new AbortController();
  const stop = defineTool({
    name: 'stop',
    description: 'Stops the worker.',
    input: { type: 'object' },
    execute() {
      stopping.abort();
      return 'ok';
    },
  });
  const agent = await createAgent({
    name: 'n',
    log: 'silent',
    model: scriptedModel([{ toolCalls: [{ name: 'stop' }] }]),
    store,
    tools: [stop],
  });
  await submitRun(store, 's', 'Go', { agent: 'n' });
  await agent.work({ intervalMs: 5, signal: stopping.signal });
  await agent.close();
  const { run, claim } = (await store.load('s')) ?? {};
  expect(run).toMatchObject({ status: 'running', step: 1, position: { at: 'step' } });
  expect(run?.attempts).toBeUndefined();
  expect(claim).toBeUndefined();
});
