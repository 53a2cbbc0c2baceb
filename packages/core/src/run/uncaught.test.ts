import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { isShallotError, ShallotError } from '../base/errors.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import type { Plugin } from '../contract/plugin.ts';
import { createAgent } from '../create-agent.ts';

const never = (): Promise<never> => new Promise(() => {});

/** A run whose signal plugins can abort with an error that nobody waited for. */
async function run(plugin: (fail: () => void) => Plugin) {
  const controller = new AbortController();
  const error = new ShallotError('UNCAUGHT', { message: 'A timer threw: broken', plugin: 'bad' });
  const plugins = [plugin(() => controller.abort(error))];
  await using agent = await createAgent({
    log: 'silent',
    model: scriptedModel([{ text: 'Done.' }]),
    plugins,
  });
  const result = await agent.run('hello', { sessionId: 's', signal: controller.signal }).catch(resultOf);
  return { result, status: (await agent.session('s'))?.status };
}

function resultOf(error: unknown): unknown {
  if (isShallotError(error)) return error.result;
  throw error;
}

describe('an error that nobody waited for', () => {
  it('fails the run whose signal is aborted with it, whatever the run waits for', async () => {
    const entered: string[] = [];
    const { result, status } = await run((fail) =>
      definePlugin({
        name: 'waiting',
        beforeModel() {
          fail();
          return never();
        },
        afterAgent: ({ outcome }) => void entered.push(outcome),
      })(),
    );
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'UNCAUGHT', plugin: 'bad' } });
    expect(entered).toEqual(['failed']);
    expect(status).toBe('failed');
  });

  it('is noted when the outcome is known already', async () => {
    const { result, status } = await run((fail) =>
      definePlugin({ name: 'ending', afterAgent: () => fail() })(),
    );
    expect(result).toMatchObject({ outcome: 'completed', errors: [{ code: 'UNCAUGHT', plugin: 'bad' }] });
    expect(status).toBe('completed');
  });
});

describe('a plugin that fails in one session', () => {
  it('leaves the runs of the others alone', async () => {
    const bothEntered = Promise.withResolvers<void>();
    let entered = 0;
    const failing = definePlugin({
      name: 'bad',
      async beforeModel(_, { sessionId }) {
        entered += 1;
        if (entered === 2) bothEntered.resolve();
        await bothEntered.promise;
        if (sessionId === 'a') throw undefined;
      },
    })();
    await using agent = await createAgent({
      log: 'silent',
      model: scriptedModel([{ text: 'Done.' }]),
      plugins: [failing],
    });
    const [a, b] = await Promise.allSettled(['a', 'b'].map((sessionId) => agent.run('hello', { sessionId })));
    expect(a).toMatchObject({ reason: { code: 'PLUGIN_FAILED', plugin: 'bad', hook: 'beforeModel' } });
    expect(b).toMatchObject({ value: { outcome: 'completed', text: 'Done.' } });
  });
});

describe('an interceptor that is async', () => {
  it('fails the run that is still under way when it rejects', async () => {
    const cause = new Error('broken');
    const entered = Promise.withResolvers<void>();
    const { result } = await run(() =>
      definePlugin({
        name: 'bad',
        setup({ hooks }) {
          hooks.beforeModel.intercept({
            name: 'watcher',
            call: () =>
              entered.promise.then(() => {
                throw cause;
              }) as never,
          });
          hooks.afterModel.tap('waits', () => {
            entered.resolve();
            return never();
          });
        },
      })(),
    );
    expect(result).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'HOOK_INTERCEPTOR',
        plugin: 'bad',
        hook: 'beforeModel',
        cause,
        message: expect.stringContaining('"watcher" of bad on beforeModel threw in call: broken') as string,
      },
    });
  });
});
