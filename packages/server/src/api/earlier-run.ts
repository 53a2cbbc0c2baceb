import { toolCallsOf } from '@shallot/core/plugin';
import type { RunRecord, SessionRecord } from '@shallot/core/store';

import { isOfKey, timeOfNote, type Idempotency } from '../work/submission-metadata.ts';
import { turnsOf } from './turns.ts';

const noUsage = { input: 0, output: 0, total: 0, modelCalls: 0 };

/**
 * Returns a run that other runs have followed in its session, by the request that began it; undefined if no run was begun
 * by this request. The run is read from the messages, so its usage is unknown, and only its answer shows how it ended.
 * @throws `server/KEY_REUSED` if the request had another body
 */
export function earlierRun(
  { messages, run: last }: Pick<SessionRecord, 'messages' | 'run'>,
  idempotency: Idempotency | undefined,
): RunRecord | undefined {
  const turns = turnsOf(messages);
  const place = turns.findIndex((turn) => turn.role === 'user' && isOfKey(turn.metadata, idempotency));
  const input = turns[place];
  if (input?.role !== 'user') return undefined;
  const next = turns[place + 1];
  const run = next?.role === 'run' && next.id !== last?.id ? next : undefined;
  const answers = (run?.messages ?? []).filter(({ role }) => role === 'assistant');
  const answer = answers.at(-1);
  const isAnswered = answer !== undefined && toolCallsOf(answer).length === 0;
  return {
    // A run without an answer left only its input.
    id: run?.id ?? input.id,
    status: isAnswered ? 'completed' : 'aborted',
    step: answers.length,
    usage: noUsage,
    usageBefore: noUsage,
    startedAt: timeOfNote(input.metadata),
    state: {},
    position: { at: 'end', ...(isAnswered ? { message: answer.id } : {}) },
    interrupts: [],
    answers: {},
  };
}
