import { testStore } from '@shallot/core/testing';
import { afterAll, describe } from 'vitest';

import { storeMaker } from './testing/register-store-suite.ts';
import { startPooled } from './testing/start-pooled.ts';

const pooled = await startPooled();
afterAll(() => pooled?.stop(), 60_000);

describe.skipIf(pooled === undefined)('behind a transaction pooler', async () => {
  const url = pooled?.server.url ?? '';
  await testStore(storeMaker(url, { url: pooled?.through(url) ?? '', listen: false }));
});
