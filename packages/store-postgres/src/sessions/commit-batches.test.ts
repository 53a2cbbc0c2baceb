import { setTimeout as sleep } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { CommitBatches } from './commit-batches.ts';

/** A database that answers each statement after a while, and the number of commits in each. */
function slowDatabase() {
  const sizes: number[] = [];
  const often = async (sql: string) => {
    const size = sql.split('commit_change').length - 1;
    sizes.push(size);
    await sleep(5);
    const answer = { outcome: 'ok', number: 1, held: null, held_ms: 0 } as const;
    return Array.from({ length: size }, (_, place) => ({ ...answer, place }));
  };
  return { database: { schema: 's', often }, sizes };
}

test('runs whose commits were answered together send their next ones together', async () => {
  const { database, sizes } = slowDatabase();
  const batches = new CommitBatches(database);
  const run = async (number: number): Promise<void> => {
    for (let step = 0; step < 10; step += 1) {
      await batches.commit([Buffer.from([number])]);
      // A hook, a tool and a model that answer at once.
      for (let wait = 0; wait < number; wait += 1) await Promise.resolve();
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, number) => run(number)));
  expect(sizes).toEqual(Array.from({ length: 10 }, () => 8));
});
