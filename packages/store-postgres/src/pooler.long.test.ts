import { testStore } from '@shallot/testing';
import { afterAll, describe } from 'vitest';

import { storeMaker } from '../test/register-store-suite.ts';
import { startPooled } from '../test/start-pooled.ts';

const pooled = await startPooled();
afterAll(() => pooled?.stop(), 60_000);

describe.skipIf(pooled === undefined)('behind a transaction pooler', async () => {
  const url = pooled?.server.url ?? '';
  await testStore(storeMaker(url, { url: pooled?.through(url) ?? '', listen: false }));
});
