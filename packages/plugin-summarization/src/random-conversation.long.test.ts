import { expect, it, vi } from 'vitest';

import { randomConversation } from '../test/random-conversation.ts';

vi.setConfig({ testTimeout: 1_800_000 });

it('In 1,000 conversations made at random, requests are valid and every message is kept once', async () => {
  const faults: unknown[] = [];
  let summaries = 0;
  let cleared = 0;
  for (let from = 1000; from < 2000; from += 10) {
    const seeds = Array.from({ length: 10 }, (_, index) => from + index);
    const outcomes = await Promise.all(seeds.map((seed) => randomConversation(seed)));
    faults.push(...outcomes.filter((outcome) => outcome.faults.length > 0));
    for (const outcome of outcomes) {
      summaries += outcome.summaries;
      cleared += outcome.cleared;
    }
  }
  expect(faults).toEqual([]);
  expect(summaries).toBeGreaterThan(1000);
  expect(cleared).toBeGreaterThan(300);
});
