import { expect, it } from 'vitest';

import { createAgent } from '../create-agent.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { memoryStore } from './memory-store.ts';

it.each([new Error('disk'), undefined])(
  'is STORE_FAILED for whatever a store throws when it is read: %s',
  async (cause) => {
    const store = { ...memoryStore(), load: () => Promise.reject(cause) };
    await using agent = await createAgent({ log: 'silent', model: scriptedModel([]), store });
    const failed = { code: 'STORE_FAILED', cause };
    await expect(agent.run('hello', { sessionId: 's' })).rejects.toMatchObject(failed);
    await expect(agent.resume('s')).rejects.toMatchObject(failed);
    await expect(agent.session('s')).rejects.toMatchObject(failed);
  },
);
