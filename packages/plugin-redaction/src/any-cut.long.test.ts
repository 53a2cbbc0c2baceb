import { expect, it } from 'vitest';

import { findWrongCut } from '../test/cuts.ts';

it('texts of any parts and lengths give the same, wherever they are cut', { timeout: 300_000 }, () => {
  expect(findWrongCut(10_000)).toBeNull();
});
