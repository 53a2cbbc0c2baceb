import { describe, expect, it } from 'vitest';

import { addUsage, countUsage, noUsage, sumUsage, type RunUsage, type Usage } from './usage.ts';

const small: Usage = { input: 10, output: 4, total: 14, cacheRead: 3 };
const large: Usage = {
  input: 100,
  output: 40,
  total: 150,
  cacheRead: 30,
  cacheWrite: 20,
  cacheWrite1h: 5,
  reasoning: 7,
};

describe('usage', () => {
  it('adds every detail that one of the two has', () => {
    const sum = addUsage(small, large);
    expect(sum).toStrictEqual({
      input: 110,
      output: 44,
      total: 164,
      cacheRead: 33,
      cacheWrite: 20,
      cacheWrite1h: 5,
      reasoning: 7,
    });
    expect(addUsage(large, small)).toStrictEqual(sum);
    expect(Object.isFrozen(sum)).toBe(true);
    expect(
      addUsage({ input: 1, output: 1, total: 2 }, { input: 1, output: 0, total: 1, reasoning: 0 }),
    ).toStrictEqual({
      input: 2,
      output: 1,
      total: 3,
    });
  });

  it('of a run counts model calls, those without a report too', () => {
    const one = countUsage(noUsage, small);
    expect(one).toStrictEqual({ ...small, modelCalls: 1 });
    const two = countUsage(one, undefined, { plugin: 'memory' });
    expect(two).toStrictEqual({ ...small, modelCalls: 2, unreported: 1 });
    expect(countUsage(two, undefined)).toMatchObject({ modelCalls: 3, unreported: 2 });
  });

  it('of a run tells which plugin used it', () => {
    let usage: RunUsage = countUsage(noUsage, small, { plugin: 'memory' });
    usage = countUsage(usage, small, { plugin: 'memory' });
    usage = countUsage(usage, large, { plugin: 'limits' });
    usage = countUsage(usage, small);
    expect(usage.plugins).toStrictEqual({ memory: addUsage(small, small), limits: large });
    expect(usage.modelCalls).toBe(4);
  });

  it('of a run sums costs, and counts calls whose price is unknown', () => {
    const free = countUsage(noUsage, small);
    expect('cost' in free).toBe(false);
    const paid = countUsage(countUsage(free, small, { cost: 2 }), small, { cost: 0.5 });
    expect(paid.cost).toBe(2.5);
    expect('unpriced' in paid).toBe(false);
    expect(countUsage(free, small, { cost: 'unknown' })).toMatchObject({ cost: 0, unpriced: 1 });
    const unknown = countUsage(countUsage(paid, small, { cost: 'unknown' }), small, { cost: 'unknown' });
    expect(unknown).toMatchObject({ cost: 2.5, unpriced: 2 });
  });

  it('of two runs is summed', () => {
    const plain: RunUsage = { ...small, modelCalls: 1 };
    const whole: RunUsage = {
      ...small,
      modelCalls: 2,
      unreported: 1,
      cost: 1.5,
      unpriced: 1,
      plugins: { memory: small, limits: large },
    };
    const sum = {
      ...addUsage(small, small),
      modelCalls: 3,
      unreported: 1,
      cost: 1.5,
      unpriced: 1,
      plugins: whole.plugins,
    };
    expect(sumUsage(plain, plain)).toStrictEqual({ ...addUsage(small, small), modelCalls: 2 });
    expect(sumUsage(plain, whole)).toStrictEqual(sum);
    expect(sumUsage(whole, plain)).toStrictEqual(sum);
    expect(sumUsage(whole, { ...whole, plugins: { memory: large, skills: small } })).toStrictEqual({
      ...addUsage(small, small),
      modelCalls: 4,
      unreported: 2,
      cost: 3,
      unpriced: 2,
      plugins: { memory: addUsage(small, large), limits: large, skills: small },
    });
  });
});
