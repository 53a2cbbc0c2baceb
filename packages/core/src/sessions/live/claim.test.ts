import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

import { expect, onTestFinished, test, vi } from 'vitest';

import { isClaimLive, newClaim } from '../../base/claim.ts';

test('a claim of this process is live until its lease has lapsed', () => {
  const claim = newClaim('me', 1000);
  expect(claim).toMatchObject({ owner: 'me', pid: process.pid });
  expect(isClaimLive(claim)).toBe(true);
  expect(isClaimLive(claim, claim.expiresAt - 1)).toBe(true);
  expect(isClaimLive(claim, claim.expiresAt)).toBe(false);
});

test('a claim of a process of this machine that is gone is dead at once', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  expect(isClaimLive({ ...newClaim('me', 60_000), pid })).toBe(false);
});

test("another user's process counts as there", () => {
  const { started: _, ...claim } = newClaim('me', 60_000);
  expect(isClaimLive({ ...claim, pid: 1 })).toBe(true);
});

// Other systems than Linux do not say when a process began.
test.runIf(process.platform === 'linux')('a process that has the id of a dead one is another', () => {
  const claim = newClaim('me', 60_000);
  expect(isClaimLive({ ...claim, started: '1' })).toBe(false);
  expect(isClaimLive({ ...claim, pid: process.ppid })).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'a dead process counts as gone also while its parent takes no notice',
  async () => {
    // The shell starts a process, says which, and becomes a program that does not wait for it.
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void parent.kill());
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const { started: _, ...claim } = { ...newClaim('me', 60_000), pid: Number(String(line)) };
    await vi.waitFor(() => expect(isClaimLive(claim)).toBe(false), { timeout: 10_000 });
    expect(() => process.kill(claim.pid, 0)).not.toThrow();
  },
);

test('of the processes of another machine or container only the lease tells', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const claim = newClaim('me', 60_000);
  expect(isClaimLive({ ...claim, host: `${claim.host}/pid:[1]`, pid })).toBe(true);
  expect(isClaimLive({ ...claim, host: 'elsewhere', pid }, claim.expiresAt)).toBe(false);
});
