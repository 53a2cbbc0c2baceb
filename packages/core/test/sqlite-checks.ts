import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll } from 'vitest';

import type { ConformanceCheck } from '../../testing/src/conformance.ts';
import { storeChecks } from '../../testing/src/store/test-store.ts';
import { encodeText } from '../src/base/encode-text.ts';
import { recordFormat } from '../src/contract/store.ts';
import { Database } from '../src/sqlite/database.ts';
import { findSession, putSession } from '../src/sqlite/session-row.ts';
import { sqliteStore } from '../src/sqlite/sqlite-store.ts';

/** Parts of the names of the checks that start processes, wait, or make hundreds of commits. */
const slow = /process|duty|simple model|hundred|more than a page|1000 entries|prefix whatever/;

/** Returns the checks of the store suite for new databases: those for the fast lane, or all others. */
export function sqliteChecks(lane: 'fast' | 'slow'): ConformanceCheck[] {
  const folder = mkdtempSync(join(tmpdir(), 'shallot-sqlite-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let count = 0;
  const checks = storeChecks(() => {
    count += 1;
    const path = join(folder, String(count), 'sessions.db');
    return {
      store: sqliteStore(path),
      elsewhere: {
        module: import.meta.resolve('../src/sqlite/sqlite-store.ts'),
        open: 'sqliteStore',
        args: [path],
      },
      makeNewer: (sessionId) => makeNewer(path, sessionId),
    };
  });
  return checks.filter(({ name }) => slow.test(name) === (lane === 'slow'));
}

async function makeNewer(path: string, sessionId: string): Promise<void> {
  const database = new Database(path, 1000);
  await database.write(() => {
    const row = findSession(database, sessionId);
    if (row === undefined) throw new Error(`no session ${encodeText(sessionId)}`);
    putSession(database, { ...row, format: recordFormat + 1 });
  });
  await database.close();
}
