import { describe, expect, it } from 'vitest';

import { scriptedModel } from '../../testing/src/scripted-model.ts';
import type { Agent } from './agent.ts';
import { isShallotError, type ShallotError } from './base/errors.ts';
import type { AgentOptions } from './contract/agent-options.ts';
import { definePlugin } from './contract/define-plugin.ts';
import type { Plugin } from './contract/plugin.ts';
import type { Store } from './contract/store.ts';
import { createAgent } from './create-agent.ts';
import { memoryStore } from './sessions/stores/memory-store.ts';

const never = (): Promise<never> => new Promise(() => {});
const closeTimeoutMs = 120;

function agentWith(options: Partial<AgentOptions>): Promise<Agent> {
  return createAgent({ model: scriptedModel([]), log: 'silent', closeTimeoutMs, ...options });
}

async function closingError(agent: Agent, options?: { readonly timeoutMs: number }): Promise<ShallotError> {
  const error: unknown = await agent.close(options).then(
    () => 'it closed',
    (thrown: unknown) => thrown,
  );
  if (!isShallotError(error)) throw new Error(`an error was expected, not ${String(error)}`);
  return error;
}

/** A plugin whose `onStop` notes that it was called, and then does this. */
function stopping(name: string, stopped: string[], then: () => void | Promise<void> = () => {}): Plugin {
  return definePlugin({
    name,
    setup: ({ onStop }) =>
      onStop(() => {
        stopped.push(name);
        return then();
      }),
  })();
}

/** A plugin that waits for something in afterAgent and says when it does. */
function lingering(what: 'once' | 'hook'): { readonly plugin: Plugin; readonly entered: Promise<void> } {
  const { promise: entered, resolve } = Promise.withResolvers<void>();
  const wait = (): Promise<never> => (resolve(), never());
  const plugin = definePlugin({
    name: 'lingering',
    afterAgent: (_, run) => (what === 'once' ? run.once('k', wait) : wait()),
  })();
  return { plugin, entered };
}

describe('closing an agent', () => {
  it('names the plugins whose onStop does not end, after all others were stopped and the store was closed', async () => {
    const stopped: string[] = [];
    const agent = await agentWith({
      plugins: [stopping('a', stopped), stopping('b', stopped, never), stopping('c', stopped, never)],
      onClose: () => void stopped.push('onClose'),
    });
    const error = await closingError(agent);
    expect(error).toMatchObject({ code: 'CLOSE_TIMEOUT' });
    expect(error.message).toContain(
      `within ${closeTimeoutMs} ms. Still running: the plugin c (onStop), the plugin b (onStop). `,
    );
    expect(stopped).toEqual(['c', 'b', 'a', 'onClose']);
  });

  it('reports what failed beside what did not end', async () => {
    const fail = (): never => {
      throw new Error('no');
    };
    const agent = await agentWith({
      plugins: [stopping('a', [], fail), stopping('b', [], never)],
      onClose: never,
    });
    const { errors } = await closingError(agent);
    expect(errors).toMatchObject([
      {
        code: 'CLOSE_TIMEOUT',
        message: expect.stringContaining('the plugin b (onStop), onClose.') as string,
      },
      { code: 'PLUGIN_STOP_FAILED', plugin: 'a' },
    ]);
  });

  it('passes on what onClose throws', async () => {
    const cause = new Error('disk full');
    const agent = await agentWith({
      onClose: () => {
        throw cause;
      },
    });
    await expect(agent.close()).rejects.toBe(cause);
  });

  it.each(['once', 'hook'] as const)('names a run whose afterAgent hangs (%s)', async (what) => {
    const { plugin, entered } = lingering(what);
    const stopped: string[] = [];
    const agent = await agentWith({
      model: scriptedModel([{ text: 'Done.' }]),
      plugins: [plugin, stopping('other', stopped)],
    });
    void agent.run('Go', { sessionId: 's' }).catch(() => undefined);
    await entered;
    expect((await closingError(agent)).message).toContain('Still running: the run of session "s". ');
    expect(stopped).toEqual(['other']);
  });

  it('names a store that does not settle the end of a run, and a run that waits for its session', async () => {
    const silent = (over: Partial<Store>): Store => ({ ...memoryStore(), ...over });
    const committing = Promise.withResolvers<void>();
    const loading = await agentWith({ store: silent({ load: never }) });
    void loading.run('Go', { sessionId: 's' }).catch(() => undefined);
    expect((await closingError(loading)).message).toContain('the run of session "s"');

    const agent = await agentWith({ store: silent({ commit: () => (committing.resolve(), never()) }) });
    void agent.run('Go', { sessionId: 't' }).catch(() => undefined);
    await committing.promise;
    expect((await closingError(agent)).message).toContain('the run of session "t"');
  });

  it('takes a time of its own from whoever closes', async () => {
    const agent = await agentWith({ closeTimeoutMs: Infinity, plugins: [stopping('a', [], never)] });
    expect((await closingError(agent, { timeoutMs: 30 })).message).toContain('within 30 ms');
  });

  it('waits for a plugin that is being added no longer than that, and stops it when it comes', async () => {
    const set = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const agent = await agentWith({});
    const late = definePlugin({
      name: 'late',
      async setup({ onStop }) {
        onStop(stopped.resolve);
        await set.promise;
      },
    })();
    const added = agent.use(late);
    expect((await closingError(agent)).message).toContain('a plugin that was being added or removed');
    set.resolve();
    await added;
    await stopped.promise;
    expect(agent.plugins).toEqual([]);
  });
});
