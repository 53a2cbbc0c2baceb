import { afterAll, expect, test } from 'vitest';

import { startPostgres } from '../test/postgres-server.ts';
import { checkAftermath } from '../test/storm/check-aftermath.ts';
import { runStorm } from '../test/storm/run-storm.ts';
import type { Storm } from '../test/storm/storm.ts';

const server = await startPostgres(18, ['max_connections=400']);
afterAll(() => server.stop());

// Windows cannot suspend a process.
test.skipIf(process.platform === 'win32')(
  'nothing is lost or done twice while everything happens to processes, connections and the database',
  async () => {
    const storm: Storm = {
      seed: Number(process.env['SHALLOT_STORM_SEED'] ?? Date.now() % 1_000_000),
      workers: [
        { name: 'one', version: '1' },
        { name: 'two', version: '1' },
      ],
      programs: 1,
      atOnce: 12,
      steps: 4,
      toolMs: 200,
      claimMs: 1000,
      freezes: 6,
      frozenAtOnce: 1,
      everyMs: 600,
      restartsEvery: 1,
    };
    process.stderr.write(`SHALLOT_STORM_SEED=${storm.seed}\n`);
    const aftermath = await runStorm(server, storm);
    checkAftermath(aftermath, storm);
    expect(aftermath.troubles.kill).toBeGreaterThan(0);
  },
);
