import { expect, it } from 'vitest';

import type { RunRecord } from '../../contract/store.ts';
import { attemptsIfDead, isSuspect, type Attempts } from './attempts.ts';

it('a run is the suspected cause of deaths after its second', () => {
  const isSuspectWith = (attempts?: Attempts): boolean => isSuspect({ attempts } as RunRecord);
  const once = attemptsIfDead(undefined, 1);
  const twice = attemptsIfDead(once, 1);
  expect([undefined, once, twice].map(isSuspectWith)).toEqual([false, false, true]);
});
