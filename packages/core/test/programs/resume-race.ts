import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect } from 'vitest';

import type { Agent } from '../../src/agent.ts';
import type { Store } from '../../src/contract/store.ts';
import { sqliteStore } from '../../src/sqlite/sqlite-store.ts';
import { answerInterrupts, pendingInterrupts } from '../../src/workers/answer-interrupts.ts';
import { payingAgent, type ResumeOrder } from './resume-worker.ts';

const program = fileURLToPath(new URL('resume-worker.ts', import.meta.url));

/**
 * The errors of the processes that came too late: another one holds the session, has answered, or has ended the run.
 */
const refusals = ['STORE_CONFLICT', 'INTERRUPT_UNKNOWN', 'SESSION_NOT_RESUMABLE'];

/**
 * Lets two to eight processes resume a session at the same time, for `rounds` sessions in turn, and checks that exactly
 * one succeeds. In every other round, the processes bring the answer; otherwise it is stored before. Returns the errors
 * of the others.
 */
export async function raceToResume(rounds: number): Promise<readonly string[]> {
  const root = mkdtempSync(join(tmpdir(), 'shallot-race-'));
  const database = join(root, 'sessions.db');
  const payments = join(root, 'payments');
  const workers = Array.from({ length: 8 }, () =>
    fork(program, [database, payments], { execArgv: ['--no-warnings'] }),
  );
  try {
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    const sessions = Array.from({ length: rounds }, (_, index) => `session-${index}`);
    const others = await race(
      sessions,
      workers,
      await payingAgent(database, payments),
      sqliteStore(database),
    );
    for (const other of others) expect(refusals).toContain(other);
    expect(readFileSync(payments, 'utf8').trimEnd().split('\n')).toEqual(sessions);
    return others;
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
  }
}

async function race(
  sessions: readonly string[],
  workers: readonly ChildProcess[],
  agent: Agent,
  store: Store,
): Promise<readonly string[]> {
  const seen: string[] = [];
  for (const [index, sessionId] of sessions.entries()) {
    await agent.run('Pay.', { sessionId });
    const order = { sessionId, answers: await answersFor(sessionId, index) };
    const racing = workers.slice(0, 2 + (index % 7)).map((worker) => resumeIn(worker, order));
    const others = (await Promise.all(racing)).filter((outcome) => outcome !== 'completed');
    expect(others).toHaveLength(racing.length - 1);
    seen.push(...others);
  }
  await agent.close();
  await store.close?.();
  return seen;

  async function answersFor(sessionId: string, index: number): Promise<ResumeOrder['answers']> {
    const pending = await pendingInterrupts(store, sessionId);
    const answers = Object.fromEntries(pending.map(({ id }) => [id, 'yes']));
    if (index % 2 === 0) return answers;
    await answerInterrupts(store, sessionId, answers);
    return {};
  }
}

async function resumeIn(worker: ChildProcess, order: ResumeOrder): Promise<string> {
  const answered = once(worker, 'message');
  worker.send(order);
  const [outcome] = (await answered) as [string];
  return outcome;
}
