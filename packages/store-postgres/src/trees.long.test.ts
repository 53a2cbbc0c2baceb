import { describe, expect, it } from 'vitest';

import { sweepOnPostgres, sweepOnSqlite } from '../test/trees/sweep-places.ts';

// Windows cannot suspend a process.
describe.skipIf(process.platform === 'win32')('trees of runs outlast 150 kills of two workers', () => {
  it.each([
    ['SQLite', sweepOnSqlite],
    ['PostgreSQL', sweepOnPostgres],
  ])('on %s', async (_, sweep) => {
    const counts = await sweep(150);
    process.stderr.write(`${JSON.stringify(counts)}\n`);
    expect(counts.kills).toBeGreaterThanOrEqual(150);
    expect(counts.killsWithDeepQuestion).toBeGreaterThanOrEqual(50);
    expect(counts.killsWithNewHost).toBeGreaterThanOrEqual(70);
    expect(counts.freezes).toBeGreaterThan(10);
    expect(counts.unknownEffects).toBeGreaterThan(0);
  });
});
