import { describe, expect, it } from 'vitest';

import { retryAt } from './retry-at.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const details = (retryDelay: unknown): unknown => ({
  error: { details: [{ '@type': 'Help' }, { retryDelay }] },
});

describe('retryAt', () => {
  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    [{ 'retry-after': '-1' }, undefined],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '999999999' }, undefined],
    [{}, undefined],
  ])('reads the headers %o', (headers, wait) => {
    expect(retryAt(headers, undefined, '', now)).toBe(wait === undefined ? undefined : now + wait);
  });

  it.each([
    [details('37s'), '', 37_000],
    [details('1.5s'), '', 1500],
    [details(5), '', undefined],
    [{ error: { details: 'none' } }, '', undefined],
    [undefined, 'Rate limit reached. Please try again in 1.2s.', 1200],
    [undefined, 'Please try again in 20ms.', 20],
    [undefined, 'Please try again in a while.', undefined],
  ])('reads the body %o and the message "%s"', (body, message, wait) => {
    expect(retryAt({}, body, message, now)).toBe(wait === undefined ? undefined : now + wait);
  });
});
