import { testFiles } from '@shallot/testing';
import { afterAll } from 'vitest';

import { startPostgres } from '../../test/postgres-server.ts';
import { postgresFiles } from './index.ts';

const server = await startPostgres(18);
const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const files of opened) await files.close();
  await server.stop();
});
let made = 0;

await testFiles(
  () => {
    made += 1;
    const files = postgresFiles({ url: server.url, schema: `f${made}`, poolSize: 2, maxBytes: 2_000_000 });
    opened.push(files);
    return files;
  },
  { maxBytes: 2_000_000 },
);
