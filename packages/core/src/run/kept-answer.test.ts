import { describe, expect, it } from 'vitest';

import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../../testing/src/scripted-model.ts';
import { cameOf, eachDeath, goToEnd, leftIn } from '../../test/programs/deaths.ts';
import type { Agent } from '../agent.ts';
import { ShallotError } from '../base/errors.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { textOf } from '../contract/messages.ts';
import type { Plugin } from '../contract/plugin.ts';
import type { Store } from '../contract/store.ts';
import { createAgent } from '../create-agent.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';

/** A model that never says the same twice, in whatever process. */
function changeable(calls: { count: number }): ScriptedModel {
  const step: ScriptedStep = () => ({ text: `answer ${(calls.count += 1)}` });
  return scriptedModel(Array.from({ length: 9 }, () => step));
}

function start(store: Store, plugins: readonly Plugin[], calls = { count: 0 }): Promise<Agent> {
  return createAgent({ model: changeable(calls), log: 'silent', store, plugins });
}

/** Begins with a `once`, before anything is waited for: what depends on the answer is committed. */
const noting = definePlugin({
  name: 'noting',
  priority: 10,
  setup({ hooks, state }) {
    const noted = state<string>({ key: 'noted', initial: () => '' });
    hooks.afterModel.tap('note', async ({ message }, run) => {
      await run.once('noted', () => noted.set(run, textOf(message)) ?? null);
    });
  },
});

/** Puts a summary in the place of the messages, if the call succeeds. */
const summary = definePlugin({
  name: 'summary',
  async wrapModelCall(request, next, scope) {
    scope.replaceMessages([{ role: 'user', content: 'Summary.' }]);
    return next(request);
  },
});

function breaks(isSync: boolean): Plugin {
  let isBroken = true;
  const fail = (): void => {
    if (!isBroken) return;
    isBroken = false;
    throw new ShallotError('STORE_FAILED', { message: 'away' });
  };
  return definePlugin({ name: 'breaks', afterModel: isSync ? fail : async () => fail() })();
}

describe('an answer that the model has given', () => {
  it('is kept by each commit that follows, whatever afterModel begins with', async () => {
    const calls = { count: 0 };
    const deaths = await eachDeath((store) => start(store, [noting(), summary()], calls));
    expect(deaths.length).toBeGreaterThan(4);
    for (const { name, came } of deaths) {
      const answer = came.history[1]?.replace('assistant: ', '');
      expect([name, came.history.length, came.history[0]]).toEqual([name, 2, 'user: Summary.']);
      expect([name, came.state['noting']?.['noted']?.value]).toEqual([name, answer]);
    }
  });

  it('is on record as soon as a once of afterModel is', async () => {
    const calls = { count: 0 };
    const store = memoryStore();
    const reached = Promise.withResolvers<void>();
    const hanging = definePlugin({
      name: 'hanging',
      priority: 10,
      async afterModel(_, run) {
        await run.once('noted', () => 1);
        reached.resolve();
        await new Promise(() => {});
      },
    });
    const dying = await createAgent({
      model: changeable(calls),
      log: 'silent',
      store,
      hookTimeoutMs: 200,
      plugins: [hanging(), summary()],
    });
    void dying.run('go', { sessionId: 's' }).catch(() => {});
    await reached.promise;
    const left = await leftIn(store);
    await using agent = await start(left, [noting(), summary()], calls);
    await goToEnd(agent, left);
    expect((await cameOf(left)).history).toEqual(['user: Summary.', 'assistant: answer 1']);
    expect(calls.count).toBe(1);
    await dying.close();
  });

  it.each([
    ['rejects', false],
    ['throws', true],
  ])('is kept when a tap of afterModel %s', async (_, isSync) => {
    const calls = { count: 0 };
    const store = memoryStore();
    await using agent = await start(store, [breaks(isSync), summary()], calls);
    await expect(agent.run('go', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await agent.resume('s')).toMatchObject({ text: 'answer 1' });
    expect(calls.count).toBe(1);
    expect((await cameOf(store)).history).toEqual(['user: Summary.', 'assistant: answer 1']);
  });

  it('is kept when the run is aborted while it is streamed', async () => {
    const calls = { count: 0 };
    const store = memoryStore();
    await using agent = await start(store, [], calls);
    const stop = new AbortController();
    const changed = definePlugin({
      name: 'changed',
      afterModel: ({ message, ...rest }) => {
        stop.abort();
        return { ...rest, message: { ...message, content: [{ type: 'text', text: 'changed' }] } };
      },
    })();
    await agent.use(changed);
    const stream = agent.stream('go', { sessionId: 's', signal: stop.signal });
    await expect(stream.result).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect(await agent.resume('s')).toMatchObject({ text: 'changed' });
    expect(calls.count).toBe(1);
  });

  it('passes no tap of afterModel twice that it had passed before another one failed', async () => {
    const calls = { count: 0 };
    const store = memoryStore();
    const marks = definePlugin({
      name: 'marks',
      priority: 5,
      setup({ hooks, state }) {
        const passed = state<number>({ key: 'passed', initial: () => 0 });
        hooks.afterModel.tap('mark', ({ message, ...rest }, run) => {
          passed.update(run, (count) => count + 1);
          const content = [{ type: 'text' as const, text: `${textOf(message)}!` }];
          return { ...rest, message: { ...message, content } };
        });
      },
    })();
    await using agent = await start(store, [breaks(true), marks], calls);
    await goToEnd(agent, store);
    expect(await cameOf(store)).toMatchObject({
      history: ['user: go', 'assistant: answer 1!'],
      state: { marks: { passed: { value: 1 } } },
    });
  });

  it('goes on with the taps that are left when the one that failed is gone', async () => {
    const calls = { count: 0 };
    const store = memoryStore();
    const says = (name: string, priority: number): Plugin =>
      definePlugin({
        name,
        priority,
        afterModel: ({ message, ...rest }) => ({
          ...rest,
          message: { ...message, content: [{ type: 'text', text: `${textOf(message)} ${name}` }] },
        }),
      })();
    const [inner, outer] = [says('inner', 5), says('outer', 90)];
    const first = await start(store, [inner, breaks(false), outer], calls);
    await expect(first.run('go', { sessionId: 's' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await first.close();
    await using second = await start(store, [inner, outer], calls);
    expect(await second.resume('s')).toMatchObject({ text: 'answer 1 inner outer' });
  });
});

describe('what again asked for', () => {
  it.each([
    ['says so whenever it is entered', true],
    ['would not say so again', false],
  ])('is added once by a tap that %s, whatever fails after it', async (_, always) => {
    const deaths = await eachDeath((store) => {
      let asks = true;
      const again = definePlugin({
        name: 'again',
        priority: 5,
        afterModel(_response, run) {
          if (run.step === 1 && asks) run.again('Once more.');
          asks = always;
        },
      })();
      return start(store, [again, breaks(true), noting()]);
    });
    for (const { name, came } of deaths) {
      expect([name, came.history.filter((line) => line === 'user: Once more.').length]).toEqual([name, 1]);
    }
  });
});

it('an input that a tap of beforeAgent has changed is changed once, however its run is disturbed', async () => {
  const deaths = await eachDeath((store) => {
    let isBroken = true;
    const adds = definePlugin({
      name: 'adds',
      async beforeAgent(run) {
        run.setInput([...run.newMessages, { role: 'user', content: 'And this.' }]);
        await run.once('noted', () => 1);
        if (!isBroken) return;
        isBroken = false;
        throw new ShallotError('STORE_FAILED', { message: 'away' });
      },
    })();
    return start(store, [adds]);
  });
  for (const { name, came } of deaths)
    expect([name, came.history.slice(0, -1)]).toEqual([name, ['user: go', 'user: And this.']]);
});
