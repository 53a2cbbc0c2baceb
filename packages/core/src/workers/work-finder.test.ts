import { expect, it } from 'vitest';

import type { Store, TakeFilter } from '../contract/store.ts';
import { createLogger } from '../log/create-logger.ts';
import { createRedactor } from '../redact/redactor.ts';
import { memoryStore } from '../sessions/stores/memory-store.ts';
import { WorkFinder } from './work-finder.ts';

it('a store that gives out runs is asked for those of the worker’s agent and version', async () => {
  const asked: (TakeFilter | undefined)[] = [];
  const store: Store = {
    ...memoryStore(),
    takeResumable: async (_, filter) => (asked.push(filter), []),
  };
  const log = createLogger('silent', { redactor: createRedactor({ environment: false }) });
  const parts = { store, log, identity: { id: 'bee', version: '2' } };
  for (const versions of ['any', 'same'] as const) await new WorkFinder(parts, { versions }).take(3, ['s']);
  expect(asked).toEqual([
    { agent: 'bee', except: ['s'] },
    { agent: 'bee', version: '2', except: ['s'] },
  ]);
});
