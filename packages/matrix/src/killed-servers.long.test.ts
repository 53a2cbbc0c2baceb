import { postgresStore } from '@shallot/store-postgres';
import { expect, onTestFinished, test } from 'vitest';

import { isThorough } from '../../../scripts/is-thorough.ts';
import { startPostgres } from '../../store-postgres/test/postgres-server.ts';
import { playKilled } from '../test/killed-servers.ts';

const steps = 6;

const kills = isThorough ? 50 : 12;

test(`clients of two servers have all of each run, whichever of them and of two workers is killed ${kills} times`, async () => {
  const server = await startPostgres(18);
  onTestFinished(() => server.stop());
  const database = await server.newDatabase();
  const store = postgresStore({ url: database });
  onTestFinished(() => store.close?.());
  const counts = await playKilled(database, store, {
    kills,
    steps,
    check({ outcome, client, stayed, stored }) {
      expect(outcome).toBe('completed');
      expect(client).toEqual(stored);
      expect(stayed).toEqual(stored);
      expect(stored.filter(({ role }) => role === 'assistant')).toHaveLength(steps);
    },
  });
  process.stderr.write(`${JSON.stringify(counts)}\n`);
  expect(counts.kills).toBe(kills);
  expect(counts.answers).toBeGreaterThanOrEqual(counts.sessions);
  expect(counts.leaves).toBeGreaterThan(kills / 5);
});
