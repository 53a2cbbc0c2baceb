import { atOnceRows } from './rows/at-once.ts';
import { countsRow } from './rows/counts.ts';
import { inboxRows } from './rows/inbox.ts';
import { keptRows } from './rows/kept.ts';
import { loopRows } from './rows/loop.ts';
import { postgresRows } from './rows/postgres.ts';
import { programRows } from './rows/programs.ts';
import type { Row } from './rows/row.ts';
import { servedRows } from './rows/served.ts';
import { sqliteRows } from './rows/sqlite.ts';
import { startRows } from './rows/start.ts';
import { tokensRow } from './rows/tokens.ts';

export const rows: readonly Row[] = [
  countsRow,
  ...loopRows,
  ...sqliteRows,
  ...atOnceRows,
  ...keptRows,
  ...startRows,
  ...programRows,
  ...inboxRows,
  ...postgresRows,
  ...servedRows,
  tokensRow,
];
