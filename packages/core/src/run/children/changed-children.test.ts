import { expect, it } from 'vitest';

import { childrenOf, delegate, doing, makeAsk } from '../../../test/children.ts';
import { createAgent, defineTool, memoryStore, textOf, type Message } from '../../index.ts';
import type { ChildAgent } from '../../plugin.ts';
import type { Store } from '../../store.ts';

type Definition = Omit<ChildAgent, 'name'>;

/** Makes an agent whose tool delegates to children that ask, over up to two levels. */
function make(store: Store, agents: Readonly<Record<string, Definition>>, done: unknown[] = []) {
  return createAgent({
    model: doing('root', ['delegate', { to: 'mid' }]),
    tools: [delegate(agents), makeAsk(done)],
    store,
    log: 'silent',
  });
}

const low = { model: doing('low', ['ask', { n: 1 }]) };
const mid = { model: doing('mid', ['delegate', { to: 'low' }]), instructions: 'Be brief.' };

function resultsIn(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
}

it.each([
  ['instructions', { ...mid, instructions: 'Be long.' }],
  ['settings', { ...mid, settings: { temperature: 1 } }],
  ['tools', { ...mid, tools: ['*'] }],
  ['the model', { ...mid, model: { ...mid.model, id: 'another' } }],
  ['the schema of its answers', { ...mid, output: { type: 'object' as const } }],
])(
  'a child whose definition has changed in %s is not continued, says so, and is closed',
  async (_, changed) => {
    const store = memoryStore();
    const done: unknown[] = [];
    const { interrupts } = await (await make(store, { mid, low }, done)).run('Go', { sessionId: 's' });
    const agent = await make(store, { mid: changed, low }, done);
    const { messages, outcome } = await agent.resume('s', { [interrupts[0]?.id ?? '']: 'yes' });
    expect(outcome).toBe('completed');
    expect(resultsIn(messages).join()).toContain('its definition has changed since it began');
    expect(done).toEqual([]);
    const children = await childrenOf(store, 's');
    for (const id of [...children, ...(await childrenOf(store, children[0] ?? ''))])
      expect((await store.load(id))?.run).toMatchObject({
        status: 'aborted',
        interrupts: [],
        position: { at: 'end' },
      });
  },
);

it('a child goes on while its definition is the same, in another process too', async () => {
  const store = memoryStore();
  const done: unknown[] = [];
  const { interrupts } = await (await make(store, { mid, low }, done)).run('Go', { sessionId: 's' });
  const agent = await make(store, { mid: { ...mid }, low: { ...low } }, done);
  await agent.resume('s', { [interrupts[0]?.id ?? '']: 'yes' });
  expect(done).toEqual([1]);
});

it('a child whose call ends without it is closed, with the children below it', async () => {
  const store = memoryStore();
  const { interrupts } = await (await make(store, { mid, low })).run('Go', { sessionId: 's' });
  const other = defineTool({
    ...delegate({}),
    input: { type: 'object', properties: { to: { enum: ['reader'] } } },
    execute: () => 'nothing',
  });
  const tools = [other, makeAsk()];
  const agent = await createAgent({
    model: doing('root', ['delegate', { to: 'mid' }]),
    tools,
    store,
    log: 'silent',
  });
  const { messages, outcome } = await agent.resume('s', { [interrupts[0]?.id ?? '']: 'yes' });
  expect(outcome).toBe('completed');
  expect(resultsIn(messages).join()).toContain('not valid');
  const [child = ''] = await childrenOf(store, 's');
  const [below = ''] = await childrenOf(store, child);
  expect([(await store.load(child))?.run, (await store.load(below))?.run]).toMatchObject([
    { status: 'aborted', interrupts: [] },
    { status: 'aborted', interrupts: [] },
  ]);
});
