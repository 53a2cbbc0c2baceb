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

  it('is twice that of input for what is cached for an hour, where no other price is given', async () => {
    const written = {
      input: 1_000_000,
      output: 0,
      total: 1_000_000,
      cacheWrite: 1_000_000,
      cacheWrite1h: 400_000,
    };
    const table = await loadPrices({
      'a/b': { input: 3, output: 15, cacheWrite: 3.75 },
      'a/c': { input: 3, output: 15, cacheWrite: 3.75, cacheWrite1h: 4 },
    });
    expect(table('a/b', written)).toBeCloseTo(2.25 + 2.4, 9);
    expect(table('a/c', written)).toBeCloseTo(2.25 + 1.6, 9);
    expect(table('a/c', usage)).toBeCloseTo(4.5, 9);
    const known = await loadPrices('genai-prices');
    const some = { input: 100_000, output: 0, total: 100_000, cacheWrite: 100_000, cacheWrite1h: 40_000 };
    expect(known('anthropic/claude-sonnet-4-5', some)).toBeCloseTo(0.225 + 0.24, 9);
    const plain = { input: 100_000, output: 0, total: 100_000 };
    expect(known('anthropic/claude-sonnet-4-5', plain)).toBeCloseTo(0.3, 9);
    expect(known('anthropic/claude-sonnet-4-5', { ...plain, cacheRead: 100_000 })).toBeCloseTo(0.03, 9);
  });

  it('is that of the length of a request, and of the service tier that served it', async () => {
    const prices = await loadPrices({
      'a/b': {
        input: 3,
        output: 15,
        tiers: [
          { above: 200_000, input: 6, output: 22.5, cacheRead: 0.6 },
          { above: 500_000, input: 12, output: 30 },
        ],
        serviceTiers: { flex: { input: 1, output: 2, tiers: [{ above: 200_000, input: 2, output: 4 }] } },
      },
      'a/alias': { as: 'a/b' },
    });
    const call = (input: number, more = {}) => ({ input, output: 100_000, total: input + 100_000, ...more });
    expect(prices('a/b', call(200_000))).toBeCloseTo(0.6 + 1.5, 9);
    expect(prices('a/b', call(200_001))).toBeCloseTo(1.200_006 + 2.25, 9);
    expect(prices('a/b', call(300_000, { cacheRead: 100_000 }))).toBeCloseTo(1.2 + 0.06 + 2.25, 9);
    expect(prices('a/alias', call(600_000))).toBeCloseTo(7.2 + 3, 9);
    expect(prices('a/b', call(100_000), { serviceTier: 'flex' })).toBeCloseTo(0.1 + 0.2, 9);
    expect(prices('a/alias', call(300_000), { serviceTier: 'flex' })).toBeCloseTo(0.6 + 0.4, 9);
    for (const serviceTier of ['default', 'priority', 'constructor'])
      expect(prices('a/b', call(100_000), { serviceTier })).toBeCloseTo(0.3 + 1.5, 9);
  });

  it('is higher for long requests to public models that have such a price', async () => {
    const prices = await loadPrices('genai-prices');
    const call = (input: number) => ({ input, output: 1000, total: input + 1000 });
    expect(prices('google/gemini-2.5-pro', call(200_000))).toBeCloseTo(0.25 + 0.01, 9);
    expect(prices('google/gemini-2.5-pro', call(300_000))).toBeCloseTo(0.75 + 0.015, 9);
  });

  it('is known of public models from @pydantic/genai-prices', async () => {
    const prices = await loadPrices('genai-prices');
    expect(prices('openai/gpt-4o', usage)).toBeCloseTo(3.5, 9);
    expect(prices('nobody/nothing-1', usage)).toBeUndefined();
  });

  it('is that of another model, of a pattern, or public, in one table', async () => {
    const prices = await loadPrices({
      'azure/my-dep': { as: 'openai/gpt-4o' },
      'azure/mine': { as: 'acme/large' },
      'azure/circle': { as: 'azure/circle' },
      'acme/*': { input: 1, output: 1 },
      'acme/large*': { input: 2, output: 2 },
      'acme/*-mini': { input: 0, output: 0 },
      '*': 'genai-prices',
    });
    expect(prices('azure/my-dep', usage)).toBeCloseTo(3.5, 9);
    expect(prices('azure/mine', usage)).toBeCloseTo(2.2, 9);
    expect(prices('acme/small', usage)).toBeCloseTo(1.1, 9);
    expect(prices('azure/circle', usage)).toBeUndefined();
    expect(prices('acme/large-2', usage)).toBeCloseTo(2.2, 9);
    expect(prices('acme/small-mini', usage)).toBe(0);
    expect(prices('openai/gpt-4o', usage)).toBeCloseTo(3.5, 9);
    expect(prices('nobody/nothing-1', usage)).toBeUndefined();
  });

  it('is that of a public model for its alias alone, which needs no other entry', async () => {
    const prices = await loadPrices({ 'azure/my-dep': { as: 'openai/gpt-4o' } });
    expect(prices('azure/my-dep', usage)).toBeCloseTo(3.5, 9);
    expect(prices('openai/gpt-4o', usage)).toBeUndefined();
  });

  it('is that of the provider behind a gateway, and nothing on a machine of your own', async () => {
    const prices = await loadPrices('genai-prices');
    expect(prices('gateway/openai/gpt-4o', usage)).toBeCloseTo(3.5, 9);
    expect(prices('ollama/qwen3', usage)).toBe(0);
    expect(prices('gateway/nobody/nothing-1', usage)).toBeUndefined();
    for (const id of ['nobody/gpt-4o', 'gpt-4o', '']) expect(prices(id, usage)).toBeUndefined();
  });

  it('is not known when the source of prices fails', () => {
    const broken = (): never => {
      throw new Error('no prices today');
    };
    expect(costOf(broken, 'a/b', usage)).toBeUndefined();
    expect(costOf(() => Number.NaN, 'a/b', usage)).toBeUndefined();
    expect(costOf(() => undefined, 'a/b', usage)).toBeUndefined();
    expect(costOf(() => 5, 'a/b', usage)).toBe(5);
  });
});
