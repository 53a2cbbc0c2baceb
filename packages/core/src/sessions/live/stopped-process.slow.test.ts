import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test, vi } from 'vitest';

import { sessionId, sleepingAgent, sleepingStore } from '../../../test/programs/sleeping-agent.ts';
import { isClaimLive } from '../../base/claim.ts';

const program = join(import.meta.dirname, '..', '..', '..', 'test', 'programs', 'sleeping-agent.ts');

test.skipIf(process.platform === 'win32').each(['once', 'read'] as const)(
  'a process that is stopped before a %s, and goes on when another has taken over, does it no more',
  async (at) => {
    const folder = mkdtempSync(join(tmpdir(), 'shallot-stopped-'));
    const store = sleepingStore(folder);
    const child = spawn(process.execPath, ['--no-warnings', program, folder, at], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    try {
      await once(child, 'message');
      await vi.waitFor(
        async () => {
          const claim = (await store.load(sessionId))?.claim;
          expect(claim && isClaimLive(claim)).toBe(false);
        },
        { timeout: 30_000, interval: 20 },
      );
      const begun: string[] = [];
      const agent = await sleepingAgent(store, {
        pause: async () => undefined,
        begun: (what) => void begun.push(what),
      });
      expect(await agent.resume(sessionId)).toMatchObject({ outcome: 'completed' });
      await agent.close();
      expect(begun).toContain(at);

      const told = once(child, 'message');
      child.kill('SIGCONT');
      expect((await told)[0]).toEqual({ begun: [], code: 'RUN_ABORTED' });
    } finally {
      child.kill('SIGKILL');
      await store.close?.();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
