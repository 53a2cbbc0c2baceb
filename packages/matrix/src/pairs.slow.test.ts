import { describe, expect, it } from 'vitest';

import { fewCases, findFaults } from './find-faults.ts';
import { layerNames, layers } from './layers.ts';
import { pairs, stackOf } from './pairs.ts';
import { randomFrom, randomSome, seed } from './random.ts';

// All of them are tried by the long tests.
describe(`some pairs of layers, by SHALLOT_SEED=${seed}`, () => {
  it.each(randomSome(pairs, 8, randomFrom(seed)))(
    '%s outside %s does what the table says',
    async (outer, inner) => {
      expect(await findFaults(stackOf(outer, inner), fewCases)).toEqual([]);
    },
  );
});

// Their order makes a difference to what is asked.
it.each([
  ['model-retry', 'model-fallback'],
  ['model-fallback', 'model-retry'],
  ['redaction', 'model-retry'],
  ['tool-retry', 'hitl'],
] as const)('%s outside %s does what the table says', async (outer, inner) => {
  expect(await findFaults(stackOf(outer, inner), fewCases)).toEqual([]);
});

it('without plugins, the script does what the table says', async () => {
  expect(
    await findFaults({ order: [], plugins: () => [] }, { ...fewCases, modes: ['streamed', 'whole'] }),
  ).toEqual([]);
});

it.each(layerNames)('%s alone does what the table says', async (name) => {
  expect(
    await findFaults({ order: [name], plugins: (fallback) => [layers[name](fallback)] }, fewCases),
  ).toEqual([]);
});

it('has every pair in both orders', () => {
  expect(pairs.length).toBe(layerNames.length * (layerNames.length - 1));
});
