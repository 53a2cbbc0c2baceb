import { describe, expect, it } from 'vitest';

import { isThorough } from '../../../scripts/is-thorough.ts';
import { sweepOnPostgres, sweepOnSqlite } from '../test/trees/sweep-places.ts';

const kills = isThorough ? 150 : 40;

// Windows cannot suspend a process.
describe.skipIf(process.platform === 'win32')(`trees of runs outlast ${kills} kills of two workers`, () => {
  it.each([
    ['SQLite', sweepOnSqlite],
    ['PostgreSQL', sweepOnPostgres],
  ])('on %s', async (_, sweep) => {
    const counts = await sweep(kills);
    process.stderr.write(`${JSON.stringify(counts)}\n`);
    expect(counts.kills).toBeGreaterThanOrEqual(kills);
    expect(counts.killsWithDeepQuestion).toBeGreaterThanOrEqual(kills / 4);
    expect(counts.killsWithNewHost).toBeGreaterThanOrEqual(kills / 3);
    expect(counts.freezes).toBeGreaterThan(kills / 30);
    expect(counts.unknownEffects).toBeGreaterThanOrEqual(isThorough ? 1 : 0);
  });
});
