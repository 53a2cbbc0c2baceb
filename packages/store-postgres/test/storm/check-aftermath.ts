import { expect } from 'vitest';

import type { Aftermath } from './run-storm.ts';
import type { Storm } from './storm.ts';

/**
 * Checks that nothing is lost or done twice, that no question is asked twice, that no run is parked or executed by
 * another agent, and that no process begins work in a session that another process has. Every session must have ended,
 * and followers must have missed nothing.
 */
export function checkAftermath(aftermath: Aftermath, storm: Storm): void {
  const { records, ledger, asked, seen, visits, parked, isCutShort } = aftermath;
  const { ofAnother, repeated, doubled, byWrong, effects } = ledger;
  expect(parked).toEqual([]);
  expect(ofAnother).toEqual([]);
  expect(repeated).toEqual([]);
  expect(doubled).toEqual([]);
  expect(byWrong).toEqual([]);
  const unfinished = [...records.values()].flatMap(({ id, run, claim, stopRequested }) =>
    run?.status === 'completed'
      ? []
      : [{ id, status: run?.status, position: run?.position, attempts: run?.attempts, claim, stopRequested }],
  );
  expect({ isCutShort, unfinished }, 'the storm did not end in time').toEqual({
    isCutShort: false,
    unfinished: [],
  });
  expect([...records.keys()].toSorted()).toEqual([...seen.keys()].toSorted());
  expect(asked.toSorted()).toEqual([...records.keys()].map((id) => `${id} ask-2`).toSorted());
  expect(visits.filter((visit) => !effects.has(visit))).toEqual([]);
  const expected = resultsOf(storm);
  for (const [id, record] of records) {
    checkRecord(record, storm, expected);
    checkFollowed(record, seen.get(id) ?? []);
    const missing = expected
      .map((each) => each.replace(/ .*/, ''))
      .filter((call) => !effects.has(`${id} ${call}`));
    expect({ id, missing }).toEqual({ id, missing: [] });
  }
}

/** Returns a line for each call, with its result. */
function resultsOf({ steps }: Storm): string[] {
  return Array.from({ length: steps }, (_, index) => index + 1).flatMap((step) => [
    `write-${step}-a done`,
    step === 2 ? 'ask-2 answered' : `write-${step}-b done`,
  ]);
}

type Session = Aftermath['records'] extends ReadonlyMap<string, infer Each> ? Each : never;

function checkRecord(
  { id, messages, run, claim }: Session,
  { steps }: Storm,
  expected: readonly string[],
): void {
  expect({ id, status: run?.status, claim }).toEqual({ id, status: 'completed', claim: undefined });
  const results = messages.flatMap((message) =>
    message.role === 'tool'
      ? [
          `${message.callId} ${message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')}`,
        ]
      : [],
  );
  expect({ id, results }).toEqual({ id, results: expected });
  const answers = messages.filter(({ role }) => role === 'assistant').length;
  expect({ id, answers }).toEqual({ id, answers: steps + 1 });
}

function checkFollowed({ id, messages }: Session, seen: readonly string[]): void {
  // Followers see each message once and in order, whichever processes were killed. One that reconnects is shown an open
  // question again.
  expect({ id, followed: seen.filter((line) => line.startsWith('message')) }).toEqual({
    id,
    followed: messages.map((message) => `message ${message.id}`),
  });
  // A question is not shown if it was answered before a follower looked.
  const questions = seen.filter((line) => line.startsWith('question') && line !== 'question ask-2');
  expect({ id, questions }).toEqual({ id, questions: [] });
}
