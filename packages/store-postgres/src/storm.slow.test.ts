import { afterAll, expect, test } from 'vitest';

import { checkAftermath } from '../test/check-aftermath.ts';
import { startPostgres } from '../test/postgres-server.ts';
import { runStorm, type Storm } from '../test/run-storm.ts';

const server = await startPostgres(18);
afterAll(() => server.stop());

test('nothing is lost or done twice while processes are killed and the database is restarted', async () => {
  const storm: Storm = {
    seed: Number(process.env['SHALLOT_STORM_SEED'] ?? Date.now() % 1_000_000),
    workers: 2,
    programs: 1,
    sessions: 40,
    steps: 5,
    toolMs: 300,
    claimMs: 1500,
    kills: 8,
    everyMs: 2000,
    restartsAfter: [3],
  };
  process.stderr.write(`SHALLOT_STORM_SEED=${storm.seed}\n`);
  const aftermath = await runStorm(server, storm);
  checkAftermath(aftermath, storm);
  expect(aftermath.kills).toBeGreaterThan(2);
});
