import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, expect, it } from 'vitest';

import { answerInterrupts, pendingInterrupts } from './interrupts.ts';
import { sqliteStore } from './sqlite/sqlite-store.ts';
import { payingAgent, type ResumeOrder } from './testing-programs/resume-worker.ts';

const root = mkdtempSync(join(tmpdir(), 'shallot-race-'));
const database = join(root, 'sessions.db');
const payments = join(root, 'payments');
const workers: ChildProcess[] = [];
afterAll(() => {
  for (const worker of workers) worker.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

/** What those may get who were not first: somebody else has the session, has answered, or has come to the end. */
const refusals = ['STORE_CONFLICT', 'INTERRUPT_UNKNOWN', 'NOTHING_TO_RESUME'];

it(
  'lets exactly one of two to eight processes go on with a session, a hundred times',
  { timeout: 60_000 },
  async () => {
    const program = fileURLToPath(new URL('testing-programs/resume-worker.ts', import.meta.url));
    for (let count = 0; count < 8; count += 1)
      workers.push(fork(program, [database, payments], { execArgv: ['--no-warnings'] }));
    await Promise.all(workers.map((worker) => once(worker, 'message')));

    const store = sqliteStore(database);
    const agent = await payingAgent(database, payments);
    const sessions = Array.from({ length: 100 }, (_, index) => `session-${index}`);
    const seen = new Map<string, number>();
    for (const [index, session] of sessions.entries()) {
      await agent.run('Pay.', { session });
      const order = { session, answers: await answersFor(session, index) };
      const outcomes = await Promise.all(
        workers.slice(0, 2 + (index % 7)).map((worker) => resumeIn(worker, order)),
      );
      const others = outcomes.filter((outcome) => outcome !== 'completed');
      expect(others).toHaveLength(outcomes.length - 1);
      for (const other of others) {
        expect(refusals).toContain(other);
        seen.set(other, (seen.get(other) ?? 0) + 1);
      }
    }
    expect(readFileSync(payments, 'utf8').trimEnd().split('\n')).toEqual(sessions);
    expect(seen.get('STORE_CONFLICT')).toBeGreaterThan(0);
    await agent.close();

    /** Half of them bring the answer, the others find it on record. */
    async function answersFor(session: string, index: number): Promise<ResumeOrder['answers']> {
      const pending = await pendingInterrupts(store, session);
      const answers = Object.fromEntries(pending.map(({ id }) => [id, 'yes']));
      if (index % 2 === 0) return answers;
      await answerInterrupts(store, session, answers);
      return {};
    }
  },
);

async function resumeIn(worker: ChildProcess, order: ResumeOrder): Promise<string> {
  const answered = once(worker, 'message');
  worker.send(order);
  const [outcome] = (await answered) as [string];
  return outcome;
}
