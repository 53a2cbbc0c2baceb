import { expect, it } from 'vitest';

import { rateLimitsIn } from './rate-limits.ts';

const now = Date.parse('2026-11-23T10:00:00Z');

it.each([
  [
    'OpenAI',
    {
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '499',
      'x-ratelimit-reset-requests': '120ms',
      'X-RateLimit-Reset-Tokens': '6m0.5s',
    },
    { requests: { limit: 500, remaining: 499, resetsAt: now + 120 }, tokens: { resetsAt: now + 360_500 } },
  ],
  [
    'Anthropic',
    {
      'anthropic-ratelimit-input-tokens-limit': '30000',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-23T10:01:00Z',
    },
    { inputTokens: { limit: 30_000, remaining: 0, resetsAt: now + 60_000 } },
  ],
  ['seconds', { 'x-ratelimit-reset-tokens': '2' }, { tokens: { resetsAt: now + 2000 } }],
  [
    'nonsense',
    {
      'x-ratelimit-limit-requests': 'many',
      'x-ratelimit-reset-requests': 'soon',
      'x-ratelimit-limit-x': '1',
    },
    undefined,
  ],
  ['none', { 'set-cookie': 'session=1', authorization: 'Bearer x' }, undefined],
  ['no headers', undefined, undefined],
])('reads the limits of %s', (_, headers, limits) => {
  expect(rateLimitsIn(headers as Record<string, string> | undefined, now)).toEqual(limits);
});
