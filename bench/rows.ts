import { atOnceRows } from './rows/at-once.ts';
import { countsRow } from './rows/counts.ts';
import { loopRows } from './rows/loop.ts';
import type { Row } from './rows/row.ts';
import { sqliteRows } from './rows/sqlite.ts';

export const rows: readonly Row[] = [countsRow, ...loopRows, ...sqliteRows, ...atOnceRows];
