import { expect, it } from 'vitest';

import { strictVendors } from '../../test/wire/strict/strict-vendors.ts';
import { providerError } from './provider-error.ts';
import { rulePage } from './rule-page.ts';

it('a refusal for the shape of a conversation names the page with the rule', () => {
  const refusal = Object.assign(new Error('messages: roles must alternate between "user" and "assistant"'), {
    statusCode: 400,
  });
  const { code, message } = providerError(refusal, { id: 'anthropic/claude' }, false);
  expect(code).toBe('MODEL_BAD_REQUEST');
  expect(message).toContain('roles must alternate');
  expect(message).toContain('(https://platform.claude.com/docs/en/build-with-claude/working-with-messages)');
});

it('each refusal of the strict servers does, and other bad requests do not', () => {
  const messages = strictVendors.flatMap(({ rules }) => rules.map(({ message }) => message));
  expect(messages.filter((message) => rulePage(message) === undefined)).toEqual([]);
  expect(rulePage('temperature must be at most 1')).toBeUndefined();
});

it('a request that the vendor finds too large names the page with its limit', () => {
  const refusal = Object.assign(new Error('Request exceeds the maximum allowed number of bytes.'), {
    statusCode: 413,
  });
  const { code, message } = providerError(refusal, { id: 'anthropic/claude' }, false);
  expect(code).toBe('MODEL_CONTEXT_OVERFLOW');
  expect(message).toContain('(https://platform.claude.com/docs/en/api/overview#request-size-limits)');
});
