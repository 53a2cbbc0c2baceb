import { expect, it } from 'vitest';

import { randomConversation } from '../test/random-conversation.ts';

it('Whatever a conversation is made of, requests are valid and every message is kept once', async () => {
  const seeds = Array.from({ length: 10 }, (_, seed) => seed);
  const outcomes = await Promise.all(seeds.map((seed) => randomConversation(seed)));
  expect(outcomes.filter(({ faults }) => faults.length > 0)).toEqual([]);
  expect(outcomes.filter(({ summaries }) => summaries > 0).length).toBeGreaterThan(1);
  expect(outcomes.filter(({ cleared }) => cleared > 0).length).toBeGreaterThan(1);
});
