import { getEventListeners } from 'node:events';

import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { scriptedModel } from '../../testing/src/scripted-model.ts';
import type { Agent } from './agent.ts';
import { ShallotError } from './base/errors.ts';
import type { AgentOptions } from './contract/agent-options.ts';
import { definePlugin } from './contract/define-plugin.ts';
import type { Plugin } from './contract/plugin.ts';
import { defineTool, type Tool } from './contract/tool.ts';
import { createAgent } from './create-agent.ts';
import { memoryStore } from './sessions/stores/memory-store.ts';

const toolNamed = (name: string): Tool =>
  defineTool({ name, description: name, input: { type: 'object' }, execute: () => name });
const namesOf = (tools: readonly Tool[] | undefined): string[] => (tools ?? []).map(({ name }) => name);

async function agentWith(options: Partial<AgentOptions> = {}): Promise<Agent> {
  const agent = await createAgent({ model: scriptedModel([]), log: 'silent', ...options });
  onTestFinished(() => agent.close());
  return agent;
}

const nothing = definePlugin({ name: 'nothing', setup() {} });

describe('an agent', () => {
  it('warns of what its store does, in its log too, and of plugins that were left out', async () => {
    const slow = new ShallotError('STORE_SLOW', { message: 'The disk is slow.' });
    const lines: string[] = [];
    const broken = definePlugin({
      name: 'broken',
      setup() {
        throw new Error('no network');
      },
    })();
    const options = {
      log: 'warn',
      logStream: { write: (line: string) => void lines.push(line) },
      plugins: [{ use: broken, optional: true }],
    } as const;
    const agent = await agentWith({ ...options, store: { ...memoryStore(), warnings: [slow] } });
    expect(agent.warnings).toMatchObject([slow, { plugin: 'broken' }]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ code: 'STORE_SLOW', msg: 'The disk is slow.' }),
    );
    expect((await agentWith(options)).warnings).toMatchObject([{ plugin: 'broken' }]);
  });

  it('names sessions itself unless a caller does: those that it forgets, and those that a store keeps', async () => {
    const steps = Array.from({ length: 8 }, () => ({ text: 'Hi.' }));
    const idsOf = async (agent: Agent): Promise<string[]> => {
      const named = { sessionId: 's' };
      const results = [
        await agent.run('1', named),
        await agent.stream('2', named).result,
        await agent.run('3'),
        await agent.stream('4').result,
      ];
      return results.map(({ sessionId }) => sessionId);
    };
    const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
    const model = scriptedModel(steps);
    const own = (prefix: string): unknown => expect.stringMatching(new RegExp(`^${prefix}_${uuid}$`));
    const anonymous = own('anonymous');
    expect(await idsOf(await agentWith({ model }))).toEqual(['s', 's', anonymous, anonymous]);
    const session = own('session');
    expect(await idsOf(await agentWith({ model, store: memoryStore() }))).toEqual([
      's',
      's',
      session,
      session,
    ]);
  });

  it('has tools that come and go until it is closed', async () => {
    const agent = await agentWith({ tools: [toolNamed('look')] });
    const remove = agent.tools.add([toolNamed('find'), toolNamed('keep')]);
    agent.tools.add(toolNamed('hidden'), { offered: false });
    expect(namesOf(agent.tools.list())).toEqual(['look', 'find', 'keep']);
    remove();
    expect(namesOf(agent.tools.list())).toEqual(['look']);
    await agent.close();
    expect(() => agent.tools.add(toolNamed('late'))).toThrow(
      expect.objectContaining({
        code: 'AGENT_CLOSED',
        message: expect.stringContaining('Create a new one.') as string,
      }) as Error,
    );
  });

  it('takes no plugin and makes no fork once it is closed', async () => {
    const agent = await agentWith();
    await agent.close();
    await expect(agent.use(nothing())).rejects.toMatchObject({ code: 'AGENT_CLOSED' });
    await expect(agent.fork()).rejects.toMatchObject({ code: 'AGENT_CLOSED' });
    expect(agent.plugins).toEqual([]);
  });

  it('shows of a plugin what it registered, and nothing for an id that it does not have', async () => {
    const listing = definePlugin({
      name: 'listing',
      tools: [toolNamed('list')],
      setup: ({ state }) => void state({ key: 'seen', initial: () => 0 }),
    })();
    const agent = await agentWith({ tools: [toolNamed('look')], plugins: [listing, nothing()] });
    expect(agent.details('listing')).toMatchObject({
      id: 'listing',
      tools: ['list'],
      state: [{ key: 'seen', scope: 'session' }],
    });
    expect(agent.details('nothing')).toMatchObject({ id: 'nothing', tools: [], state: [] });
    expect(agent.details('memory')).toBeUndefined();
  });

  it('lists the commands of its plugins, and refuses options that it does not know', async () => {
    const agent = await agentWith();
    expect(await agent.commands({ sessionId: 's' })).toEqual([]);
    await expect(agent.commands({ session: 's' } as object)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });

  it('passes the abort of a signal on to a stream, and lets go of the signal when the run is over', async () => {
    const { signal } = new AbortController();
    const agent = await agentWith({ model: scriptedModel([{ text: 'Hi.' }, { text: 'Ho.' }]) });
    expect((await agent.stream('1', { signal }).result).text).toBe('Hi.');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const aborted = agent.stream('2', { signal: AbortSignal.abort('no need') });
    await expect(aborted.result).rejects.toMatchObject({ code: 'RUN_ABORTED' });
  });
});

describe('a fork', () => {
  const ofPlugin = definePlugin({ name: 'finding', tools: [toolNamed('find')] });

  async function original(onClose?: () => void): Promise<Agent> {
    const agent = await agentWith({
      tools: [toolNamed('look')],
      plugins: [ofPlugin()],
      store: memoryStore(),
      model: scriptedModel([{ text: 'Hi.' }]),
      ...(onClose && { onClose }),
    });
    agent.tools.add(toolNamed('hidden'), { offered: false });
    agent.tools.add(toolNamed('later'));
    return agent;
  }

  /** A plugin that offers the hidden tool, as if a model had searched for it. */
  const offersHidden = (seen: string[][]): Plugin =>
    definePlugin({ name: 'seeing', beforeModel: ({ tools }) => void seen.push(namesOf(tools)) })();

  it('has the tools and plugins that the agent has now, each once, and shares its sessions', async () => {
    const agent = await original();
    await agent.run('Hello', { sessionId: 's' });
    await agent.use(nothing());
    await using fork = await agent.fork();
    expect(namesOf(fork.tools.list()).toSorted()).toEqual(['find', 'later', 'look']);
    expect(fork.plugins.map(({ id }) => id)).toEqual(agent.plugins.map(({ id }) => id));
    expect((await fork.session('s'))?.messages).toHaveLength(2);
  });

  it('keeps hidden tools hidden, and their names taken', async () => {
    const seen: string[][] = [];
    await using fork = await (
      await original()
    ).fork({
      model: scriptedModel([{ text: 'Ho.' }]),
      plugins: [offersHidden(seen)],
    });
    await fork.run('Hello');
    expect(seen).toEqual([['look', 'later']]);
    expect(() => fork.tools.add(toolNamed('hidden'))).toThrow(
      expect.objectContaining({ code: 'TOOL_DUPLICATE' }) as Error,
    );
  });

  it('has only the tools that it is given, if any are', async () => {
    await using fork = await (await original()).fork({ tools: [toolNamed('other')], plugins: [] });
    expect(namesOf(fork.tools.list())).toEqual(['other']);
    fork.tools.add(toolNamed('hidden'));
    expect(namesOf(fork.tools.list())).toEqual(['other', 'hidden']);
  });

  it('does not close what was made for the agent', async () => {
    const onClose = vi.fn<() => void>();
    const agent = await original(onClose);
    await (await agent.fork()).close();
    expect(onClose).not.toHaveBeenCalled();
    await agent.close();
    expect(onClose).toHaveBeenCalledOnce();
  });
});

describe('closing', () => {
  it('happens once, whoever asks for it', async () => {
    const onClose = vi.fn<() => void>();
    const agent = await agentWith({ onClose });
    const closing = agent.close();
    expect(agent.close()).toBe(closing);
    await closing;
    await agent.close({ runs: 'finish' });
    expect(onClose).toHaveBeenCalledOnce();
  });

  it('stops all timers of the agent', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow = definePlugin({ name: 'slow', beforeAgent: () => Promise.resolve() })();
    const model = scriptedModel([{ text: 'Hi.' }]);
    const agent = await agentWith({ model, plugins: [slow], store: memoryStore() });
    await agent.run('Hello', { sessionId: 's' });
    await agent.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('lets runs finish if it is asked to, and takes no others', async () => {
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const step = async () => {
      asked.resolve();
      await answer.promise;
      return { text: 'At last.' };
    };
    const agent = await agentWith({ model: scriptedModel([step, { text: 'Never.' }]) });
    const running = agent.run('Hello');
    await asked.promise;
    const finishing = agent.close({ runs: 'finish' });
    await expect(agent.run('Another')).rejects.toMatchObject({ code: 'AGENT_CLOSED' });
    expect(agent.close({ runs: 'finish' })).toBe(finishing);
    answer.resolve();
    expect((await running).text).toBe('At last.');
    await finishing;
  });
});
