import { describe, expect, it } from 'vitest';

import { childrenOf, delegate, doing } from '../../../test/children.ts';
import { createAgent, definePlugin, defineTool, memoryStore, textOf, type Tool } from '../../index.ts';

function makeTool(name: string, done: string[], effect = name): Tool {
  return defineTool({
    name,
    description: name,
    input: { type: 'object' },
    execute: () => void done.push(effect),
  });
}

/** A plugin with a gate that denies `remove`, and layers that note what passes them. */
function makeGuard(seen: string[], setups: string[] = []) {
  return definePlugin({
    name: 'guard',
    setup({ hooks }) {
      setups.push('guard');
      hooks.wrapToolCall.tap({ name: 'deny', gate: true }, (call, next) => {
        if (call.name === 'remove') throw new Error('not allowed');
        return next(call);
      });
      hooks.wrapToolCall.tap({ name: 'time', gate: true, tree: false }, (call, next) => {
        seen.push(`time ${call.name}`);
        return next(call);
      });
      hooks.wrapToolCall.tap({ name: 'everywhere', tree: true }, (call, next, { run }) => {
        seen.push(`everywhere ${run.agent} ${call.name}`);
        return next(call);
      });
      hooks.wrapToolCall.tap('here', (call, next, { run }) => {
        seen.push(`here ${run.agent} ${call.name}`);
        return next(call);
      });
    },
  })();
}

describe('the taps of the parent', () => {
  it('surround the calls of a child if they are for trees, and gates are unless they say no', async () => {
    const done: string[] = [];
    const seen: string[] = [];
    const setups: string[] = [];
    const store = memoryStore();
    const worker = { model: doing('worker', ['remove', {}], ['save', {}]) };
    const agent = await createAgent({
      name: 'top',
      model: doing('root', ['delegate', { to: 'worker' }]),
      tools: [delegate({ worker }), makeTool('remove', done), makeTool('save', done)],
      plugins: [makeGuard(seen, setups)],
      store,
      log: 'silent',
    });
    await agent.run('Go', { sessionId: 's' });
    expect(done).toEqual(['save']);
    expect(seen.toSorted()).toEqual([
      'everywhere top delegate',
      'everywhere worker remove',
      'everywhere worker save',
      'here top delegate',
      'time delegate',
    ]);
    expect(setups).toEqual(['guard']);
    for await (const { id } of store.list({ parent: 's' })) {
      const results = (await store.load(id))?.messages.filter(({ role }) => role === 'tool') ?? [];
      expect(results.map((message) => textOf(message))).toEqual([
        'The call of remove was denied by guard: the gate failed: not allowed',
        '',
      ]);
    }
  });

  it('all surround a child whose definition lists their plugin', async () => {
    const seen: string[] = [];
    const worker = { model: doing('worker', ['save', {}]), plugins: ['guard'] };
    const agent = await createAgent({
      model: doing('root', ['delegate', { to: 'worker' }]),
      tools: [delegate({ worker }), makeTool('save', [])],
      plugins: [makeGuard(seen)],
      log: 'silent',
    });
    await agent.run('Go');
    expect(seen).toContain('here worker save');
    expect(seen).toContain('time save');
  });
});

describe('the tools of a child', () => {
  /** Runs an agent that is offered only some of its tools, and returns what its child could do. */
  async function doneWith(definition: object): Promise<string[]> {
    const done: string[] = [];
    const hide = definePlugin({
      name: 'hide',
      beforeModel: (request) => ({
        ...request,
        tools: (request.tools ?? []).filter(({ name }) => name !== 'hidden'),
      }),
    })();
    const worker = { model: doing('worker', ['hidden', {}], ['save', {}], ['send', {}]), ...definition };
    const agent = await createAgent({
      model: doing('root', ['delegate', { to: 'worker' }]),
      tools: [delegate({ worker }), ...['hidden', 'save', 'send'].map((name) => makeTool(name, done))],
      plugins: [hide],
      log: 'silent',
    });
    await agent.run('Go');
    return done;
  }

  it('are those that its parent was offered, and no others', async () => {
    expect(await doneWith({})).toEqual(['save', 'send']);
    expect(await doneWith({ tools: ['*'] })).toEqual(['save', 'send']);
    expect(await doneWith({ tools: ['hid*', 'sa*'] })).toEqual(['save']);
    expect(await doneWith({ tools: ['!sa*'] })).toEqual(['send']);
    expect(await doneWith({ tools: ['s*', '!send'] })).toEqual(['save']);
    expect(await doneWith({ tools: [] })).toEqual([]);
  });

  it('are more only by a grant', async () => {
    expect(await doneWith({ tools: ['save'], grants: ['hidden'] })).toEqual(['hidden', 'save']);
  });

  it('are more by a grant below a child that was not offered them', async () => {
    const done: string[] = [];
    const low = { model: doing('low', ['secret', {}]), tools: [], grants: ['secret'] };
    const mid = { model: doing('mid', ['delegate', { to: 'low' }], ['secret', {}]), tools: ['delegate'] };
    const offer = definePlugin({
      name: 'offer',
      setup: ({ tools }) => void tools.add(makeTool('secret', done), { offered: false }),
    })();
    const agent = await createAgent({
      model: doing('root', ['delegate', { to: 'mid' }]),
      tools: [delegate({ low, mid })],
      plugins: [offer],
      log: 'silent',
    });
    await agent.run('Go');
    expect(done).toEqual(['secret']);
  });

  it('are not what a layer has put in the place of another', async () => {
    const done: string[] = [];
    const swap = definePlugin({
      name: 'swap',
      setup({ hooks, tools }) {
        const other = makeTool('save', done, 'the other save');
        tools.add(other, { offered: false });
        hooks.beforeModel.tap('swap', (request) => ({
          ...request,
          tools: [...(request.tools ?? []), other],
        }));
      },
    })();
    const agent = await createAgent({
      model: doing('root', ['delegate', { to: 'worker' }]),
      tools: [delegate({ worker: { model: doing('worker', ['save', {}]) } }), makeTool('save', done)],
      plugins: [swap],
      log: 'silent',
    });
    await agent.run('Go');
    expect(done).toEqual(['the other save']);
  });
});

describe('a child that cannot begin', () => {
  async function resultOf(definition: object, more: object = {}): Promise<string> {
    const tool = defineTool({
      name: 'delegate',
      description: 'Delegates.',
      input: { type: 'object' },
      execute: async (_, { child }) =>
        (await child({ agent: { name: 'worker', ...definition }, prompt: 'Go', ...more })).text,
    });
    const agent = await createAgent({
      model: doing('root', ['delegate', {}], ['delegate', {}]),
      tools: [tool],
      log: 'silent',
    });
    const { messages } = await agent.run('Go');
    return messages.flatMap((message) => (message.role === 'tool' ? textOf(message) : [])).join('\n');
  }

  it('is an error result that says why', async () => {
    expect(await resultOf({ plugins: ['gone'] })).toContain('lists the plugin "gone"');
    expect(await resultOf({ grants: ['gone'] })).toContain('was granted the tool "gone"');
    expect(await resultOf({}, { sessionId: 'other' })).toContain('its session is gone');
    expect(await resultOf({ name: '' })).toContain('OPTION_INVALID');
  });

  it('is one too many, or too deep', async () => {
    const model = doing('worker');
    expect(await resultOf({ model }, { maxChildren: 1 })).toContain('this run has begun 1 children already');
    expect(await resultOf({ model }, { maxDepth: 0 })).toContain('the tree of runs is 0 deep already');
  });

  it('is the child of a child of a child, unless the tree may be deeper', async () => {
    const store = memoryStore();
    const names = ['one', 'two', 'three', 'four'] as const;
    const agents = Object.fromEntries(
      names.map((name, index) => [
        name,
        { model: doing(name, ['delegate', { to: names[index + 1] ?? 'none' }]) },
      ]),
    );
    const agent = await createAgent({
      model: doing('root', ['delegate', { to: 'one' }]),
      tools: [delegate(agents)],
      store,
      log: 'silent',
    });
    await agent.run('Go', { sessionId: 's' });
    let parent = 's';
    for (const _ of ['one', 'two', 'three']) [parent = ''] = await childrenOf(store, parent);
    expect(await childrenOf(store, parent)).toEqual([]);
    const answer = (await store.load(parent))?.messages.find(({ role }) => role === 'tool');
    expect(answer && textOf(answer)).toContain('the tree of runs is 3 deep already');
  });
});
