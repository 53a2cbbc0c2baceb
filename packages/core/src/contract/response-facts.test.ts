import { expect, it } from 'vitest';

import { responseFacts } from './response-facts.ts';

it('the facts of a response are what a provider reports in the known form', () => {
  const facts = responseFacts({
    id: 'r'.repeat(200),
    model: 'm',
    serviceTier: 'flex',
    rateLimits: {
      tokens: { limit: 10, remaining: 0, resetsAt: 5, other: 1 },
      requests: { limit: 'many', remaining: 3 },
      inputTokens: { limit: 'many' },
      outputTokens: 7,
    },
    anything: 'else',
  });
  expect(facts).toStrictEqual({
    id: 'r'.repeat(200),
    model: 'm',
    serviceTier: 'flex',
    rateLimits: { tokens: { limit: 10, remaining: 0, resetsAt: 5 }, requests: { remaining: 3 } },
  });
  expect([facts, facts?.rateLimits, facts?.rateLimits?.['tokens']].map(Object.isFrozen)).toEqual([
    true,
    true,
    true,
  ]);
});

it.each([
  undefined,
  {},
  { id: '', model: 3, serviceTier: 'x'.repeat(201) },
  { rateLimits: {} },
  { rateLimits: { tokens: {} } },
  { rateLimits: 3 },
])('there are no facts in %j', (metadata) => {
  expect(responseFacts(metadata)).toBeUndefined();
});

it('a response has facts of at most ten limits', () => {
  const limits = Array.from({ length: 12 }, (_, index) => [`limit${index}`, { limit: 1 }] as const);
  const facts = responseFacts({ rateLimits: Object.fromEntries(limits) });
  expect(Object.keys(facts?.rateLimits ?? {})).toHaveLength(10);
});
