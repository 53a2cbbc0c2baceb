import { afterAll, expect, test, vi } from 'vitest';

import { isThorough } from '../../../scripts/is-thorough.ts';
import { startPostgres } from '../test/postgres-server.ts';
import { checkAftermath } from '../test/storm/check-aftermath.ts';
import { runStorm } from '../test/storm/run-storm.ts';
import type { Storm } from '../test/storm/storm.ts';

vi.setConfig({ testTimeout: 15 * 60_000 });

const server = await startPostgres(18, ['max_connections=800']);
afterAll(() => server.stop());

const agents = [
  { name: 'one', version: '1' },
  { name: 'one', version: '2' },
  { name: 'two', version: '1' },
] as const;

// Windows cannot suspend a process.
test.skipIf(process.platform === 'win32')(
  'nothing is lost, done twice or done by another in hundreds of freezes with everything else beside them',
  async () => {
    const storm: Storm = {
      seed: Number(process.env['SHALLOT_STORM_SEED'] ?? Date.now() % 1_000_000),
      workers: [...agents, ...agents, ...agents, ...agents],
      programs: 2,
      atOnce: 16,
      steps: 6,
      toolMs: 300,
      claimMs: 600,
      freezes: isThorough ? 1000 : 250,
      frozenAtOnce: 7,
      everyMs: 400,
      restartsEvery: 10,
    };
    process.stderr.write(`SHALLOT_STORM_SEED=${storm.seed}\n`);
    const aftermath = await runStorm(server, storm);
    const { entries, refused, suspendedInside } = aftermath.ledger;
    const { size: sessions } = aftermath.records;
    const visits = aftermath.visits.length;
    process.stderr.write(
      `${JSON.stringify({ sessions, visits, entries, refused, suspendedInside, ...aftermath.troubles })}\n`,
    );
    checkAftermath(aftermath, storm);
    expect(sessions).toBeGreaterThan(20);
  },
);
