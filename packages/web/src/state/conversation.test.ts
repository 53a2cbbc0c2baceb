import { createClient } from '@shallot/client';
import { memoryStore } from '@shallot/core';
import { expect, it, onTestFinished } from 'vitest';

import { servePage, type ServedPage } from '../../test/served-page.ts';
import { Conversation, type ConversationView } from './conversation.ts';
import { rowsOf } from './rows.ts';
import { SessionList } from './session-list.ts';

type Script = Parameters<typeof servePage>[0];

async function begin(
  script: Script,
  options: Parameters<typeof servePage>[1] = {},
): Promise<ServedPage & { readonly open: (sessionId?: string) => Conversation }> {
  const served = await servePage(script, options);
  onTestFinished(served.close);
  const open = (sessionId?: string): Conversation => {
    const conversation = new Conversation(createClient({ url: served.url, retries: 0 }), sessionId);
    onTestFinished(() => conversation.close());
    return conversation;
  };
  return { ...served, open };
}

/** Waits until a conversation looks as expected. */
async function until(
  { view }: Conversation,
  isThere: (view: ConversationView) => boolean,
): Promise<ConversationView> {
  await expect.poll(() => isThere(view.value)).toBe(true);
  return view.value;
}

/** The rows that are shown, as text. */
function shown({ messages }: ConversationView): readonly string[] {
  return rowsOf(messages).map((row) => {
    if (row.kind === 'user')
      return `user ${row.message.content.map((part) => ('text' in part ? part.text : '')).join('')}`;
    if (row.kind === 'call') return `${row.call.name} ${row.result === undefined ? 'open' : 'done'}`;
    return row.kind === 'part' && row.part.type === 'text' ? row.part.text : row.kind;
  });
}

const writing: Script = [
  { text: 'I write.', toolCalls: [{ name: 'write', args: { path: '/a.txt', text: 'bees' } }] },
  { text: 'Done.' },
];

it('a message begins a session, a question is open in every view of it, and its answer continues the run in both', async () => {
  const { open, desk } = await begin(writing);
  const one = open();
  expect(await one.send('Write  bees\nnow')).toBe(true);
  const { sessionId, interrupts } = await until(one, ({ state }) => state === 'asking');
  const other = open(sessionId);
  await other.read();
  expect((await until(other, ({ state }) => state === 'asking')).interrupts).toEqual(interrupts);
  await one.answer(interrupts[0]?.id ?? '', { decision: 'approve' });
  expect(shown(await until(one, ({ state }) => state === 'idle'))).toEqual([
    'user Write  bees\nnow',
    'I write.',
    'write done',
    'Done.',
  ]);
  expect(desk.written).toHaveLength(1);
  await other.look('later');
  const view = await until(other, ({ state }) => state === 'idle');
  expect(shown(view)).toEqual(shown(one.view.value));
  expect(view.interrupts).toEqual([]);
});

it('the list has titles made of first messages, and deletes', async () => {
  const { open, url } = await begin([{ text: 'Hello.' }]);
  const conversation = open();
  await conversation.send(`Tell ${'me '.repeat(50)}`);
  await until(conversation, ({ state }) => state === 'idle');
  const list = new SessionList(createClient({ url }));
  await list.read();
  const [line] = list.view.value.lines;
  expect(line?.title).toMatch(/^Tell me me .*…$/);
  await list.delete(line?.id ?? '');
  expect(list.view.value).toEqual({ lines: [], hasMore: false, isLoaded: true, problem: undefined });
});

it('a message to a run in progress waits until the run has read it', async () => {
  const { open, desk } = await begin([{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'Seen.' }]);
  const conversation = open();
  await conversation.send('Look');
  await until(conversation, ({ activity }) => Object.values(activity.progress).length > 0);
  await conversation.send('Hurry');
  expect(conversation.view.value.waiting).toMatchObject([{ text: 'Hurry' }]);
  desk.go.resolve();
  const view = await until(conversation, ({ state }) => state === 'idle');
  expect(shown(view)).toEqual(['user Look', 'look done', 'user Hurry', 'Seen.']);
  expect(view.waiting).toEqual([]);
});

it('a run that was stopped or failed says so, and is resumed', async () => {
  const broken = (): never => {
    throw new Error('The model is out of honey.');
  };
  const { open } = await begin([broken, { text: 'Better.' }], { onError: () => undefined });
  const conversation = open();
  await conversation.send('Try');
  const { ending } = await until(
    conversation,
    ({ state, ending }) => state === 'idle' && ending !== undefined,
  );
  expect(ending?.outcome).toBe('failed');
  await conversation.resume();
  const view = await until(conversation, ({ state, messages }) => state === 'idle' && messages.length > 1);
  expect(shown(view)).toEqual(['user Try', 'Better.']);
  expect(view.ending).toBe(undefined);
});

it('a message that the server does not take is given back, with the reason', async () => {
  const { open, server } = await begin([], { store: memoryStore() });
  const conversation = open('nowhere');
  await conversation.read();
  expect(conversation.view.value).toMatchObject({ state: 'idle', problem: 'There is no such session.' });
  server.use(undefined);
  const fresh = open();
  expect(await fresh.send('Hello')).toBe(false);
  expect(fresh.view.value).toMatchObject({ state: 'idle', waiting: [], sessionId: undefined });
  expect(fresh.view.value.problem).toBeTypeOf('string');
});
