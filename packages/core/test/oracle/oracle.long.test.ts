import { expect, it } from 'vitest';

import { acts } from './acts-by-hook.ts';
import { compareWorlds } from './many-worlds.ts';
import { disturbances } from './model/world.ts';

it('five thousand disturbed worlds end as the oracle says, and each kind of event is in at least 300 of them', async () => {
  const { events, medianSteps } = await compareWorlds(1, 5000);
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
    .filter((kind) => (events.get(kind) ?? 0) < 300)
    .map((kind) => `${kind}: ${events.get(kind) ?? 0}`);
  expect(rare).toEqual([]);
});
