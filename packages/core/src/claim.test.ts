import { spawnSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { isClaimLive, newClaim } from './claim.ts';

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
  expect(isClaimLive({ ...newClaim('me', 60_000), pid: 1 })).toBe(true);
});

test('of the processes of another machine or container only the lease tells', () => {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const claim = newClaim('me', 60_000);
  expect(isClaimLive({ ...claim, host: `${claim.host}/pid:[1]`, pid })).toBe(true);
  expect(isClaimLive({ ...claim, host: 'elsewhere', pid }, claim.expiresAt)).toBe(false);
});
