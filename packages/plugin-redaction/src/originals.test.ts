import type { RunInfo } from '@shallot/core';
import type { PluginState } from '@shallot/core/plugin';
import { expect, it } from 'vitest';

import { Vault, type Kept } from './originals.ts';
import { sealKey } from './seal-key.ts';

function counted() {
  let kept: Kept = {};
  let changes = 0;
  const state: PluginState<Kept> = {
    get: () => kept,
    set: (_, value) => {
      changes += 1;
      kept = value;
    },
    update: (run, change) => state.set(run, change(kept)),
  };
  const vault = new Vault(
    sealKey({ key: 'a key of this test, long enough', keyFile: undefined, directory: '.' }),
  );
  // The state does not ask whose it is.
  const originals = vault.forRun(state, {} as RunInfo);
  return { originals, changes: () => changes, kept: () => kept };
}

it('stores what a search finds with one change, and each value once', async () => {
  const { originals, changes, kept } = counted();
  const names: string[] = [];
  await originals.together(async () => {
    for (let index = 0; index < 1000; index += 1)
      names.push(originals.placeholderFor('email', `person${index % 500}@example.org`));
  });
  expect(changes()).toBe(1);
  expect(Object.keys(kept())).toHaveLength(500);
  expect(names.map((name) => originals.valueOf(name))).toEqual(
    names.map((_, index) => `person${index % 500}@example.org`),
  );
  originals.placeholderFor('email', 'person1@example.org');
  expect(changes()).toBe(1);
  originals.placeholderFor('email', 'another@example.org');
  expect(changes()).toBe(2);
});

it('keeps what was found before a search fails', async () => {
  const { originals, kept } = counted();
  const search = originals.together(async () => {
    originals.placeholderFor('email', 'anna@example.org');
    throw new Error('blocked');
  });
  await expect(search).rejects.toThrow('blocked');
  expect(Object.keys(kept())).toHaveLength(1);
});
