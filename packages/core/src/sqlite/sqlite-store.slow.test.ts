import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll } from 'vitest';

import { testStore } from '../../../testing/src/store/test-store.ts';
import { encodeText } from '../base/encode-text.ts';
import { Database } from './database.ts';
import { findSession, putSession } from './session-row.ts';
import { sqliteStore } from './sqlite-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'shallot-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
function newPath(): string {
  count += 1;
  return join(folder, String(count), 'sessions.db');
}

await testStore(() => {
  const path = newPath();
  return {
    store: sqliteStore(path),
    elsewhere: { module: import.meta.resolve('./sqlite-store.ts'), open: 'sqliteStore', args: [path] },
    makeNewer: (sessionId) => makeNewer(path, sessionId),
  };
});

async function makeNewer(path: string, sessionId: string): Promise<void> {
  const database = new Database(path, 1000);
  await database.write(() => {
    const row = findSession(database, sessionId);
    if (row === undefined) throw new Error(`no session ${encodeText(sessionId)}`);
    putSession(database, { ...row, format: 2 });
  });
  await database.close();
}
