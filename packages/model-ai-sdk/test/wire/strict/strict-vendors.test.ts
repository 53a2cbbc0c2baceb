import { describe, expect, it } from 'vitest';

import { refusalOf, strictVendors } from './strict-vendors.ts';
import { standingOf } from './vendor-rule.ts';

const paths: Readonly<Record<string, string>> = {
  'Anthropic messages': '/v1/messages',
  'OpenAI responses': '/v1/responses',
  'OpenAI chat completions': '/v1/chat/completions',
  Gemini: '/v1beta/models/gemini-3-flash:generateContent?alt=sse',
  'Bedrock converse': '/model/anthropic.claude/converse',
};

describe.each(strictVendors)('$name', ({ name, rules, error }) => {
  it.each(rules)('$message', (rule) => {
    const refusal = refusalOf(paths[name] ?? '', JSON.stringify(rule.example));
    expect(refusal?.rule.message).toBe(rule.message);
    const unverified = standingOf(rule) === 'unverified' ? ', unverified' : '';
    expect(refusal?.body).toBe(
      JSON.stringify(error(`${rule.message} (see ${rule.source}${unverified})`, refusal?.status ?? 0)),
    );
    expect(rule.source).toMatch(/^https:\/\/\S+$/);
  });
});

it('a path that belongs to no vendor takes anything', () => {
  expect(refusalOf('/v2/chat', '{"messages":[]}')).toBeUndefined();
});
