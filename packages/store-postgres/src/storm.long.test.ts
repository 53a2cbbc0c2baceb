import { afterAll, expect, test, vi } from 'vitest';

import { checkAftermath } from '../test/check-aftermath.ts';
import { startPostgres } from '../test/postgres-server.ts';
import { runStorm, type Storm } from '../test/run-storm.ts';

vi.setConfig({ testTimeout: 30 * 60_000 });

const server = await startPostgres(18);
afterAll(() => server.stop());

test('nothing is lost or done twice in ten minutes of kills, restarts and cut connections', async () => {
  const storm: Storm = {
    seed: Number(process.env['SHALLOT_STORM_SEED'] ?? Date.now() % 1_000_000),
    workers: 3,
    programs: 2,
    sessions: 500,
    steps: 10,
    toolMs: 600,
    claimMs: 3000,
    kills: 600,
    everyMs: 1000,
    restartsAfter: [150, 400],
    cutsEvery: 50,
  };
  process.stderr.write(`SHALLOT_STORM_SEED=${storm.seed}\n`);
  const aftermath = await runStorm(server, storm);
  checkAftermath(aftermath, storm);
  expect(aftermath.kills).toBeGreaterThan(100);
});
