import { expect, it } from 'vitest';

import { sweepOnSqlite } from '../test/trees/sweep-places.ts';

// Three hundred kills, also on PostgreSQL, are in the long tests. Windows cannot suspend a process.
it.skipIf(process.platform === 'win32')('trees of runs outlast kills of their workers', async () => {
  expect((await sweepOnSqlite(4)).kills).toBeGreaterThanOrEqual(4);
});
