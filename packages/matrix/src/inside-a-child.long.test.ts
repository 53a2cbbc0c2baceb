import { expect, it } from 'vitest';

import { caseNames } from './cases.ts';
import { findFaultsInChild, findFaultsOfCrashes } from './find-faults-in-child.ts';
import { layerNames } from './layers.ts';

it.each(layerNames)('%s does what the table says inside a child, in every case', async (name) => {
  expect(await findFaultsInChild(name, caseNames)).toEqual([]);
});

it.each(layerNames)('%s does what the table says inside a child that dies at any commit', async (name) => {
  const { faults, deaths } = await findFaultsOfCrashes(name);
  expect(faults).toEqual([]);
  expect(deaths).toBeGreaterThan(8);
});
