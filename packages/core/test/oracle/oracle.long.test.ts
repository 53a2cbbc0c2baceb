import { expect, it } from 'vitest';

import { isThorough } from '../../../../scripts/is-thorough.ts';
import { acts } from './acts-by-hook.ts';
import { compareWorlds } from './many-worlds.ts';
import { disturbances } from './model/world.ts';

const worlds = isThorough ? 5000 : 1500;

it(`${worlds} disturbed worlds end as the oracle says, and each kind of event is in many of them`, async () => {
  const { events, medianSteps } = await compareWorlds(1, worlds);
  expect(medianSteps).toBeGreaterThanOrEqual(4);
  const ofHooks = Object.entries(acts).flatMap(([hook, names]) => names.map((name) => `${hook} ${name}`));
  const kinds = [
    ...disturbances,
    'run',
    'resume',
    'answer',
    'unknown effect',
    'tool count',
    'tool ask',
    'tool throw',
    ...ofHooks,
  ];
  const rare = kinds
    .filter((kind) => (events.get(kind) ?? 0) < worlds / 20)
    .map((kind) => `${kind}: ${events.get(kind) ?? 0}`);
  expect(rare).toEqual([]);
});
