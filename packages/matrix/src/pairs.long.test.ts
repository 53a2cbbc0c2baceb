import { expect, it } from 'vitest';

import { allCases, findFaults } from './find-faults.ts';
import { pairs, stackOf } from './pairs.ts';

it.each(pairs)('%s outside %s does what the table says', async (outer, inner) => {
  expect(await findFaults(stackOf(outer, inner), allCases)).toEqual([]);
});
