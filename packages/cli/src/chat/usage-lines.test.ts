import { expect, it } from 'vitest';

import { usageLines } from './usage-lines.ts';

const used = { input: 900, output: 100, total: 1000 };

it.each([
  ['reports its tokens', { ...used, modelCalls: 2 }, '1,000 tokens: 900 in, 100 out, 2 model calls'],
  [
    'reports some of them',
    { ...used, modelCalls: 3, unreported: 1 },
    '1,000 tokens: 900 in, 100 out, 3 model calls (1 without reported tokens)',
  ],
  [
    'has a price',
    { ...used, modelCalls: 3, cost: 0.01234, unpriced: 1 },
    '1,000 tokens: 900 in, 100 out, 3 model calls, $0.012 (without 1 call of unknown price)',
  ],
  [
    'reports none',
    { input: 0, output: 0, total: 0, modelCalls: 1, unreported: 1 },
    '1 model call; the model does not report its token usage.',
  ],
])('says of a model that %s how much it used', (_, usage, line) => {
  expect(usageLines(usage)).toEqual([line]);
});
