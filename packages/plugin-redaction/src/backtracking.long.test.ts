import { checkSync } from 'recheck';
import { expect, it } from 'vitest';

import { detectors } from './detectors.ts';
import { addressPatterns } from './find-addresses.ts';
import { numberPatterns } from './find-numbers.ts';
import { phonePatterns } from './find-phones.ts';

const patterns = [
  ...addressPatterns,
  ...numberPatterns,
  ...phonePatterns,
  ...detectors.map(({ sign }) => sign),
];

it.each(patterns.map(({ source, flags }) => ({ source, flags })))(
  'never backtracks without end: /$source/$flags',
  ({ source, flags }) => {
    const result = checkSync(source, flags, { randomSeed: 1, timeout: 60_000 });
    const worst = result.status === 'vulnerable' ? result.complexity.type : result.status;
    // A bounded repetition counts as polynomial.
    expect(['safe', 'polynomial']).toContain(worst);
  },
);
