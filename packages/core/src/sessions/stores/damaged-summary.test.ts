import { expect, it } from 'vitest';

import { damagedSummary } from './damaged-summary.ts';

it.each([
  ['caf\\u00e9', 'café'],
  ['no \\', 'no \\'],
])('a damaged session is listed by its id alone: %s', (encoded, id) => {
  expect(damagedSummary(encoded)).toStrictEqual({
    id,
    revision: 0,
    createdAt: 0,
    updatedAt: 0,
    messages: 0,
    interrupts: 0,
    damaged: true,
  });
});
