import { readFileSync } from 'node:fs';

import { memoryStore, type AgentOptions } from '@shallot/core';
import type { SessionRecord } from '@shallot/core/store';
import { expect, it } from 'vitest';

import { approve, bench, toolMessages } from '../test/approvals.ts';

/** A session with two open questions, as the plugin stored it before there were permissions. It is never changed. */
const fixture = new URL('../fixtures/two-open-questions.json', import.meta.url);

/** An agent of today over that session: its model has asked to delete `/a` and `/b`. */
async function resumed(options: Partial<AgentOptions> = {}) {
  const record = JSON.parse(readFileSync(fixture, 'utf8')) as SessionRecord;
  const { id, messages, run, state, journal } = record;
  const store = memoryStore();
  await store.commit(id, 0, { append: messages, state, journal, ...(run === undefined ? {} : { run }) });
  const { done, agent } = bench([], { tools: { delete_file: true } }, { store, ...options });
  const live = await agent();
  const [a = '', b = ''] = run?.interrupts.map((interrupt) => interrupt.id) ?? [];
  return { live, done, a, b };
}

it('is resumed by answers to its questions', async () => {
  const { live, done, a, b } = await resumed();
  const { interrupts } = await live.resume('s', { [a]: approve });
  expect(interrupts.map(({ id }) => id)).toEqual([b]);
  const { messages } = await live.resume('s', { [b]: { decision: 'reject', reason: 'not that one' } });
  expect(done).toEqual(['delete {"path":"/a"}']);
  expect(toolMessages(messages)).toEqual([
    'delete_file: deleted',
    'delete_file DENIED: The call of delete_file was rejected and not executed: not that one',
  ]);
});

it('is not executed past a rule of today, whatever a person answers', async () => {
  const { live, done, a, b } = await resumed({ permissions: { deny: ['delete_file(path=/b)'] } });
  const { messages } = await live.resume('s', { [a]: approve, [b]: approve });
  expect(done).toEqual(['delete {"path":"/a"}']);
  expect(toolMessages(messages)[1]).toContain('DENIED');
});

it('takes no answer with a rule to keep, for which its questions have no place', async () => {
  const { live, done, a } = await resumed();
  const always = { scope: 'session', rule: 'delete_file(path=/a)' };
  await expect(live.resume('s', { [a]: { ...approve, always } })).rejects.toMatchObject({
    code: 'INTERRUPT_ANSWER',
  });
  expect(done).toEqual([]);
});
