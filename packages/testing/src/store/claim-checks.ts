import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

import { endClaim, newClaim, type Claim } from '@shallot/core/store';

import { rejectsWith, type ConformanceCheck } from '../conformance.ts';
import { messages, commitNext } from './store-samples.ts';
import { storeCheck, type CreateStore } from './store-subject.ts';

export function claimChecks(create: CreateStore): ConformanceCheck[] {
  return [
    storeCheck(create, 'keeps a claim until it is given up', async ({ store }) => {
      const claim = newClaim('me', 60_000);
      await store.commit('s', 0, { claim });
      await commitNext(store, 's', { append: messages('a') });
      isSameClaim((await store.load('s'))?.claim, claim);
      await commitNext(store, 's', { claim: null });
      assert.equal((await store.load('s'))?.claim, undefined);
    }),

    storeCheck(
      create,
      'refuses a claim while that of another is live, and says whose it is',
      async ({ store }) => {
        const claim = newClaim('me', 60_000);
        const revision = await store.commit('s', 0, { claim });
        const change = { append: messages('x'), claim: newClaim('other', 60_000) };
        const said = await rejectsWith(
          store.commit('s', revision, change),
          'STORE_CONFLICT',
          'a second claim',
        );
        assert.ok(said.includes(String(claim.pid)) && said.includes(claim.host), `it says only: ${said}`);
        const record = await store.load('s');
        isSameClaim(record?.claim, claim);
        assert.deepEqual([record?.revision, record?.messages.length], [revision, 0]);
      },
    ),

    storeCheck(
      create,
      'lets the owner claim again, and anybody commit without a claim',
      async ({ store }) => {
        const again = newClaim('me', 90_000);
        await store.commit('s', 0, { claim: newClaim('me', 60_000) });
        await commitNext(store, 's', { claim: again });
        await commitNext(store, 's', { append: messages('a') });
        isSameClaim((await store.load('s'))?.claim, again);
      },
    ),

    storeCheck(create, 'gives the session to another when a claim is dead', async ({ store }) => {
      const { pid } = spawnSync(process.execPath, ['--version']);
      await store.commit('lapsed', 0, { claim: { ...newClaim('me', -1), host: 'elsewhere' } });
      await commitNext(store, 'lapsed', { claim: newClaim('other', 60_000) });
      await store.commit('gone', 0, { claim: { ...newClaim('me', 60_000), pid } });
      await commitNext(store, 'gone', { claim: newClaim('other', 60_000) });
      const ended = newClaim('ended', 60_000);
      await store.commit('ended', 0, { claim: ended });
      endClaim(ended);
      await commitNext(store, 'ended', { claim: newClaim('other', 60_000) });
      assert.equal((await store.load('ended'))?.claim?.owner, 'other');
      assert.equal((await store.load('lapsed'))?.claim?.owner, 'other');
      assert.equal((await store.load('gone'))?.claim?.owner, 'other');
    }),

    storeCheck(create, 'renews a claim of its owner only, without a new revision', async ({ store }) => {
      const [first, later] = [newClaim('me', 60_000), newClaim('me', 120_000)];
      assert.equal(await store.renew('s', first), false);
      const revision = await store.commit('s', 0, { claim: first });
      assert.equal(await store.renew('s', later), true);
      assert.equal(await store.renew('s', newClaim('other', 60_000)), false);
      const record = await store.load('s');
      assert.equal(record?.revision, revision);
      isSameClaim(record.claim, later);
      await commitNext(store, 's', { claim: null });
      assert.equal(await store.renew('s', later), false);
      assert.equal((await store.load('s'))?.claim, undefined);
    }),
  ];
}

/**
 * The tolerance for a lease that a store measures by another clock, for the time that passes while it is stored and
 * loaded.
 */
const mostOffMs = 10_000;

function isSameClaim(found: Claim | undefined, { expiresAt, ...expected }: Claim): void {
  const { expiresAt: foundUntil = 0, ...rest } = found ?? {};
  assert.deepEqual(rest, expected);
  const off = Math.abs(foundUntil - expiresAt);
  assert.ok(off < mostOffMs, `the claim expires ${off} ms before or after its time`);
}
