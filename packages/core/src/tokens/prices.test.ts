import { describe, expect, it } from 'vitest';

import { costOf, loadPrices } from './prices.ts';

const usage = { input: 1_000_000, output: 100_000, total: 1_100_000 };

describe('what a model call costs', () => {
  it('is what its tokens cost, those of the cache apart', async () => {
    const prices = await loadPrices({ 'a/b': { input: 3, output: 15, cacheRead: 0.3 } });
    expect(prices('a/b', usage)).toBeCloseTo(4.5, 9);
    expect(prices('a/b', { ...usage, cacheRead: 500_000, cacheWrite: 100_000 })).toBeCloseTo(3.15, 9);
    expect(prices('a/other', usage)).toBeUndefined();
    expect(prices('constructor', usage)).toBeUndefined();
  });

  it('is known of public models from @pydantic/genai-prices', async () => {
    const prices = await loadPrices('genai-prices');
    expect(prices('openai/gpt-4o', usage)).toBeCloseTo(3.5, 9);
    expect(prices('nobody/nothing-1', usage)).toBeUndefined();
  });

  it('is not known when the source of prices fails', () => {
    const broken = (): never => {
      throw new Error('no prices today');
    };
    expect(costOf(broken, 'a/b', usage)).toBeUndefined();
    expect(costOf(() => Number.NaN, 'a/b', usage)).toBeUndefined();
  });
});
