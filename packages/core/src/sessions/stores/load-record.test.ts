import { expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from './memory-store.ts';

it.each([new Error('disk'), undefined])(
  'is STORE_FAILED for whatever a store throws when it is read: %s',
  async (cause) => {
    const store = { ...memoryStore(), load: () => Promise.reject(cause) };
    await using agent = await createAgent({ log: 'silent', model: scriptedModel([]), store });
    const reads = [
      () => agent.run('hello', { sessionId: 's' }),
      () => agent.resume('s'),
      () => agent.session('s'),
    ];
    for (const read of reads) {
      const error: unknown = await read().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'STORE_FAILED' });
      expect((error as Error).cause).toBe(cause);
    }
  },
);
