import { expect } from 'vitest';

import type { Aftermath, Storm } from './run-storm.ts';

/** No step is lost, no finished tool repeated, no question asked twice; every session ends; the ledger equals the journal; followers miss nothing. */
export function checkAftermath(
  { records, ledger, asked, seen }: Aftermath,
  { sessions, steps }: Storm,
): void {
  expect(records.size).toBe(sessions);
  expect(ledger.filter(([, , what]) => what === 'repeated')).toEqual([]);
  expect(asked.toSorted()).toEqual([...records.keys()].map((id) => `${id} ask-2`).toSorted());
  const expected = Array.from({ length: steps }, (_, index) => index + 1).flatMap((step) => [
    `write-${step}-a done`,
    step === 2 ? 'ask-2 answered' : `write-${step}-b done`,
  ]);
  for (const [id, { messages, run, claim }] of records) {
    expect({ id, status: run?.status, claim }).toEqual({ id, status: 'completed', claim: undefined });
    const results = messages.flatMap((message) =>
      message.role === 'tool'
        ? [
            `${message.callId} ${message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')}`,
          ]
        : [],
    );
    expect({ id, results }).toEqual({ id, results: expected });
    expect({ id, answers: messages.filter(({ role }) => role === 'assistant').length }).toEqual({
      id,
      answers: steps + 1,
    });
    const followed = seen.get(id) ?? [];
    // Every message once and in order, whoever was killed; whoever comes back is shown an open question again.
    expect({ id, followed: followed.filter((line) => line.startsWith('message')) }).toEqual({
      id,
      followed: messages.map((message) => `message ${message.id}`),
    });
    // One that was answered before anybody looked is not shown.
    const questions = followed.filter((line) => line.startsWith('question'));
    expect({ id, questions: questions.filter((line) => line !== 'question ask-2') }).toEqual({
      id,
      questions: [],
    });
    const done = new Set(ledger.flatMap(([session, call]) => (session === id ? [call] : [])));
    expect({ id, done: [...done].toSorted() }).toEqual({
      id,
      done: expected.map((each) => each.replace(/ .*/, '')).toSorted(),
    });
  }
}
