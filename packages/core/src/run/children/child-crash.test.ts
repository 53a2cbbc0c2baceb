import { expect, it } from 'vitest';

import { beside, delegate, doing } from '../../../test/children.ts';
import { createAgent, defineTool, memoryStore, textOf } from '../../index.ts';
import type { Store } from '../../store.ts';
import { pendingInterrupts } from '../../work.ts';

/**
 * A store whose process dies after so many commits: later ones never come back. The claim of the root is gone with it; those
 * of the children look alive.
 */
function dyingAfter(store: Store, commits: number): Store & { readonly died: Promise<void> } {
  let left = commits;
  const died = Promise.withResolvers<void>();
  return {
    ...store,
    died: died.promise,
    renew: async () => true,
    commit: async (sessionId, revision, change) => {
      if (left === 0) return (died.resolve(), new Promise<number>(() => {}));
      left -= 1;
      const { claim, ...rest } = change;
      return store.commit(sessionId, revision, claim?.root === undefined ? rest : change);
    },
  };
}

/** The tool by which the root begins its children. */
type Way = 'delegate' | 'begin';

/** Creates the agent of a tree of three levels that writes on each, and asks on two. */
function makeTree(store: Store, done: string[], way: Way) {
  const write = defineTool({
    name: 'write',
    description: 'Writes.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    execute: (args, { call }) => void done.push(`${JSON.stringify(args)} ${call.name}`),
  });
  const confirm = defineTool({
    name: 'confirm',
    description: 'Asks before it writes.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    async execute(args, { interrupt }) {
      await interrupt({ kind: 'question', payload: args, answer: { enum: ['yes'] } });
      done.push(`${JSON.stringify(args)} confirm`);
    },
  });
  const low = { model: doing('low', ['write', { to: 'low' }], ['confirm', { to: 'low' }]) };
  const side = { model: doing('side', ['write', { to: 'side' }], ['confirm', { to: 'side' }]) };
  const mid = { model: doing('mid', ['delegate', { to: 'low' }], ['write', { to: 'mid' }]) };
  return createAgent({
    model: doing('root', [way, { to: 'mid' }], [way, { to: 'side' }], ['write', { to: 'root' }]),
    tools: [delegate({ low, mid, side }), beside({ mid, side }), write, confirm],
    store,
    log: 'silent',
  });
}

/** Resumes until the run has ended. Every question is answered: one about an unknown effect by what has happened. */
async function finish(
  store: Store,
  done: string[],
  way: Way,
): Promise<{ readonly unknown: string[]; readonly calls: number }> {
  const unknown: string[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const answers: Record<string, never> = {};
    for (const { id, kind, call } of await pendingInterrupts(store, 's')) {
      const effect = `${JSON.stringify(call?.input)} ${call?.name ?? ''}`;
      const isUnknown = kind !== 'question';
      if (isUnknown) unknown.push(effect);
      const answer = done.includes(effect) ? { action: 'result', result: 'done' } : { action: 'repeat' };
      answers[id] = (isUnknown ? answer : 'yes') as never;
    }
    const agent = await makeTree(store, done, way);
    const { outcome, usage } = await agent.resume('s', answers);
    if (outcome === 'completed') return { unknown, calls: usage.modelCalls };
  }
  throw new Error('the run never ended');
}

it.each<[string, Way]>([
  ['a tree', 'delegate'],
  ['a tree in the background', 'begin'],
])('%s goes on after a crash at any commit: nothing is lost, done twice or counted wrong', async (_, way) => {
  const all = ['low confirm', 'low write', 'mid write', 'root write', 'side confirm', 'side write'].map(
    (effect) => effect.replace(/^\w+/, (to) => JSON.stringify({ to })),
  );
  let crashes = 0;
  let asked = 0;
  for (let commits = 1; ; commits += 1) {
    const store = memoryStore();
    const done: string[] = [];
    const dying = dyingAfter(store, commits);
    const run = (await makeTree(dying, done, way)).run('Go', { sessionId: 's' });
    const isOver = await Promise.race([run.then(() => true), dying.died.then(() => false)]);
    const { unknown, calls } = await finish(store, done, way);
    asked += unknown.length;
    expect([...done].toSorted(), `after ${commits} commits`).toEqual(all);
    expect(calls, `after ${commits} commits`).toBeGreaterThanOrEqual(8);
    const sessions: string[] = [];
    for (const parent of ['s', ...(await childrenIn(store, 's'))])
      sessions.push(...(await childrenIn(store, parent)));
    expect(sessions).toHaveLength(3);
    expect(calls).toBe(await callsIn(store, ['s', ...sessions]));
    expect(await told(store), `after ${commits} commits`).toHaveLength(way === 'begin' ? 2 : 0);
    if (isOver) break;
    crashes += 1;
  }
  expect(crashes).toBeGreaterThan(20);
  expect(asked).toBeGreaterThan(0);
});

async function childrenIn(store: Store, parent: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.list({ parent })) ids.push(id);
  return ids;
}

/** The ends of children that the root has been told of. */
async function told(store: Store): Promise<string[]> {
  const { messages = [] } = (await store.load('s')) ?? {};
  return messages.filter(({ source }) => source === 'children').flatMap((each) => textOf(each).split('\n'));
}

/** The model calls of the sessions, each by its own record without its children. */
async function callsIn(store: Store, sessions: readonly string[]): Promise<number> {
  let calls = 0;
  for (const id of sessions) {
    const messages = (await store.load(id))?.messages ?? [];
    calls += messages.filter(({ role }) => role === 'assistant').length;
  }
  return calls;
}
