import { describe, expect, test, vi } from 'vitest';

import { message, runRecord } from '../../../testing/src/store/store-samples.ts';
import { newClaim } from '../base/claim.ts';
import { ShallotError } from '../base/errors.ts';
import type { MessageInput } from '../contract/messages.ts';
import type { RunRecord, SessionChange, Store } from '../contract/store.ts';
import { memoryStore } from '../index.ts';
import { sendMessage, sentMessages, submitRun, unsendMessage } from '../work.ts';

async function storeWith(run: RunRecord, change: SessionChange = {}): Promise<Store> {
  const store = memoryStore();
  await store.commit('s', 0, { run, ...change });
  return store;
}

const running = runRecord('r', 'running');
const another = { code: 'SESSION_OF_ANOTHER' };

test('a message is refused with what to do: there is no run, it is parked, or it has ended', async () => {
  const store = memoryStore();
  await store.commit('empty', 0, { append: [] });
  await submitRun(store, 's', 'Go');
  const { run, revision = 0 } = (await store.load('s')) ?? {};
  if (run === undefined) throw new Error('Nothing was submitted.');
  const parked = await store.commit('s', revision, { run: { ...run, parked: true } });
  for (const sessionId of ['nowhere', 'empty'])
    await expect(sendMessage(store, sessionId, 'Hi')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: expect.stringContaining(`There is no run in session "${sessionId}"`) as unknown,
    });
  await expect(sendMessage(store, 's', 'Hi')).rejects.toMatchObject({
    code: 'SESSION_NOT_RUNNING',
    message: expect.stringContaining('is parked') as unknown,
  });
  await store.commit('s', parked, { run: { ...run, status: 'completed' } });
  await expect(sendMessage(store, 's', 'Hi')).rejects.toMatchObject({
    code: 'SESSION_NOT_RUNNING',
    message: expect.stringContaining('has ended (completed)') as unknown,
  });
});

test('a message waits in the inbox, with its time and its sender', async () => {
  const store = await storeWith(running);
  const sent = { id: 'm', role: 'user', content: 'Hi', metadata: { acme: { a: 1 } } } as const;
  expect(await sendMessage(store, 's', sent, { by: 'ann' })).toBe('m');
  expect(await sendMessage(store, 's', sent)).toBe('m');
  const id = await sendMessage(store, 's', 'Later', { when: 'after-run' });
  await sendMessage(store, 's', { ...sent, id: 'n' }, { when: 'instead' });
  const at = expect.stringMatching(/^\d{4}-.*Z$/) as string;
  expect(await store.inbox?.('s')).toMatchObject([
    { id: 'm', message: { metadata: { acme: { a: 1 }, core: { sent: { at, by: 'ann' } } } } },
    { id, after: 'r', message: { metadata: { core: { sent: { at } } } } },
    { id: 'n', instead: true },
  ]);
  const [first, second] = (await store.inbox?.('s')) ?? [];
  expect([first, second].map((entry) => entry && 'instead' in entry)).toEqual([false, false]);
  expect(Object.keys((await sentMessages(store, 's'))[1]?.metadata?.['core'] as object)).toEqual(['sent']);
  expect((await sentMessages(store, 's')).map((each) => each.id)).toEqual(['m', id, 'n']);
  expect([await unsendMessage(store, 's', 'm'), await unsendMessage(store, 's', 'm')]).toEqual([true, false]);
});

test.each<readonly [MessageInput | MessageInput[], string]>([
  [{ role: 'assistant', content: 'Hi' }, 'Only one user message'],
  [
    [
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
    ],
    'Only one user message',
  ],
  [[], 'Only one user message'],
])('%j cannot be sent', async (input, said) => {
  const store = await storeWith(running);
  const sending = sendMessage(store, 's', input as MessageInput);
  await expect(sending).rejects.toMatchObject({
    code: 'MESSAGE_INVALID',
    message: expect.stringContaining(said) as string,
  });
});

test('a message of eight megabytes is sent, and no larger one', async () => {
  const store = await storeWith(running);
  const empty = JSON.stringify(message('m', '')).length;
  await sendMessage(store, 's', message('m', 'x'.repeat(8_000_000 - empty)));
  await expect(sendMessage(store, 's', message('n', 'x'.repeat(8_000_001 - empty)))).rejects.toMatchObject({
    code: 'MESSAGE_INVALID',
    message: expect.stringContaining('takes 8000001 bytes of JSON') as string,
  });
});

test('a store without an inbox takes no messages, and has none', async () => {
  const { send: _send, inbox: _inbox, unsend: _unsend, ...store } = await storeWith(running);
  await expect(sendMessage(store, 's', 'Hi')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(await sentMessages(store, 's')).toEqual([]);
  expect(await unsendMessage(store, 's', 'm')).toBe(false);
});

test('a message for a run that ends meanwhile is refused', async () => {
  const store = await storeWith(running);
  vi.spyOn(store, 'send').mockImplementation(async (id) => {
    await store.commit(id, 1, { run: runRecord('r', 'completed') });
    return false;
  });
  await expect(sendMessage(store, 's', 'Hi')).rejects.toThrow('has ended (completed)');
});

test('messages are sent, seen and withdrawn by the owner of the session only', async () => {
  const store = await storeWith(running, { about: { owner: 'ann' } });
  const id = await sendMessage(store, 's', 'Hi', { owner: 'ann' });
  for (const owner of ['ann', 'bob']) {
    const acts = [
      () => sendMessage(store, 's', 'Hi', { owner }),
      () => sentMessages(store, 's', { owner }),
      () => unsendMessage(store, 's', id, { owner }),
    ];
    const refused = await Promise.all(
      acts.map((act) =>
        act().then(
          () => undefined,
          (error: unknown) => error,
        ),
      ),
    );
    expect(refused).toMatchObject(acts.map(() => (owner === 'bob' ? another : undefined)));
  }
  expect(await sentMessages(store, 'nowhere', { owner: 'bob' })).toEqual([]);
  const child = await storeWith(running, { about: { parent: 'p', root: 'p' } });
  await expect(sendMessage(child, 's', 'Hi')).rejects.toMatchObject({ code: 'SESSION_IS_CHILD' });
});

describe('a message instead of calls that wait for answers', () => {
  const [asked, ofHook] = runRecord('r', 'interrupted', 2).interrupts;
  const ofCall = { ...asked, call: { id: 'c', name: 'look', input: {} } };
  const asking = { ...runRecord('r', 'interrupted'), interrupts: [ofCall, ofHook] } as RunRecord;
  const open = async (store: Store): Promise<unknown> =>
    (await store.load('s'))?.run?.interrupts.map(({ id }) => id);

  test('withdraws their questions, so that a worker resumes the run', async () => {
    const store = await storeWith(asking);
    await sendMessage(store, 's', 'Hi');
    expect(await open(store)).toEqual(['r-0', 'r-1']);
    await sendMessage(store, 's', 'Hi', { when: 'instead' });
    expect(await open(store)).toEqual(['r-1']);
    const revision = (await store.load('s'))?.revision;
    await sendMessage(store, 's', 'Hi', { when: 'instead' });
    expect((await store.load('s'))?.revision).toBe(revision);
  });

  test('leaves that to the process that executes the run', async () => {
    const held = await storeWith(asking, { claim: newClaim('me', 60_000) });
    await sendMessage(held, 's', 'Hi', { when: 'instead' });
    expect(await open(held)).toEqual(['r-0', 'r-1']);
    const dead = { ...newClaim('me', 60_000), host: 'elsewhere', expiresAt: 0 };
    const lapsed = await storeWith(asking, { claim: dead });
    await sendMessage(lapsed, 's', 'Hi', { when: 'instead' });
    expect(await open(lapsed)).toEqual(['r-1']);
    const busy = await storeWith({ ...asking, status: 'running' });
    await sendMessage(busy, 's', 'Hi', { when: 'instead' });
    expect(await open(busy)).toEqual(['r-0', 'r-1']);
  });

  test('is tried again when another process is faster, and fails with the store', async () => {
    const store = await storeWith(asking);
    const commit = vi.spyOn(store, 'commit');
    commit.mockRejectedValueOnce(new ShallotError('STORE_CONFLICT', { message: 'first' }));
    await sendMessage(store, 's', 'Hi', { when: 'instead' });
    expect(await open(store)).toEqual(['r-1']);
    const away = await storeWith(asking);
    vi.spyOn(away, 'commit').mockRejectedValue(new ShallotError('STORE_FAILED', { message: 'away' }));
    await expect(sendMessage(away, 's', 'Hi', { when: 'instead' })).rejects.toThrow('away');
  });
});
