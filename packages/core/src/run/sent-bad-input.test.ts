import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import { createAgent, defineTool, isShallotError, memoryStore, textOf } from '../index.ts';
import { sqliteStore } from '../sqlite/index.ts';
import type { Store } from '../store.ts';
import { sendMessage, sentMessages, submitRun, unsendMessage } from '../work.ts';

const folder = await mkdtemp(join(tmpdir(), 'shallot-bad-sent-'));
afterAll(() => rm(folder, { recursive: true }));

/** Runs an agent whose only call does this; the texts of the user's messages are returned. */
async function runDuring(store: Store, execute: () => Promise<void>): Promise<readonly string[]> {
  const work = defineTool({
    name: 'work',
    description: 'Works.',
    input: { type: 'object' },
    effect: 'read',
    execute: async () => {
      await execute();
      return 'worked';
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'work' }] }, { text: 'Done.' }]);
  const agent = await createAgent({ model, tools: [work], store, log: 'silent' });
  const { messages } = await agent.run('Go', { sessionId: 's' });
  return messages.filter(({ role }) => role === 'user').map(textOf);
}

it('of 10,000 messages at once, a thousand are read in order, and the senders of the others are told', async () => {
  const store = memoryStore();
  const codes = new Map<string, number>();
  const accepted: string[] = [];
  const texts = await runDuring(store, async () => {
    const send = async (text: string): Promise<void> => {
      try {
        await sendMessage(store, 's', text);
        accepted.push(text);
      } catch (error) {
        const code = isShallotError(error) ? error.code : String(error);
        codes.set(code, (codes.get(code) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: 10_000 }, (_, number) => send(`${number}`)));
  });
  expect([accepted.length, [...codes]]).toEqual([1000, [['INBOX_FULL', 9000]]]);
  expect(texts.slice(1)).toEqual(accepted);
});

it('a message of 10 MB is refused, and one of 7 MB is read', async () => {
  const store = sqliteStore(join(folder, 'large.db'));
  const texts = await runDuring(store, async () => {
    await expect(sendMessage(store, 's', 'x'.repeat(10_000_000))).rejects.toMatchObject({
      code: 'MESSAGE_INVALID',
    });
    await sendMessage(store, 's', 'x'.repeat(7_000_000));
  });
  expect(texts.map(({ length }) => length)).toEqual([2, 7_000_000]);
  await store.close();
});

it('a message to a parked run is refused, and says what to do first', async () => {
  const store = memoryStore();
  await submitRun(store, 's', 'Go');
  const { revision = 0, run } = (await store.load('s')) ?? {};
  if (run === undefined) throw new Error('The run is lost.');
  await store.commit('s', revision, { run: { ...run, parked: true } });
  await expect(sendMessage(store, 's', 'Hello')).rejects.toMatchObject({
    code: 'SESSION_NOT_RUNNING',
    message: expect.stringContaining('Resume or resubmit it first') as unknown,
  });
});

it('a message that is taken back as it is taken is either in the session or taken back', async () => {
  for (let turn = 0; turn < 8; turn += 1) {
    const store = sqliteStore(join(folder, `race-${turn}.db`));
    const backs: Promise<boolean>[] = [];
    const texts = await runDuring(store, async () => {
      const ids = [];
      for (let number = 0; number < 5; number += 1) ids.push(await sendMessage(store, 's', `${number}`));
      // Not awaited: the next model call takes the messages meanwhile.
      for (const [number, id] of ids.entries())
        backs.push(
          new Promise((resolve) => setTimeout(resolve, number)).then(() => unsendMessage(store, 's', id)),
        );
    });
    const areBack = await Promise.all(backs);
    const kept = areBack.flatMap((isBack, number) => (isBack ? [] : [`${number}`]));
    expect(texts.slice(1)).toEqual(kept);
    expect(await sentMessages(store, 's')).toEqual([]);
    await store.close();
  }
});
