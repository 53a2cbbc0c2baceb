import { describe, expect, it } from 'vitest';

import { refusalOf, strictVendors } from './strict-vendors.ts';
import { standingOf, type VendorRule } from './vendor-rule.ts';

const paths: Readonly<Record<string, string>> = {
  'Anthropic messages': '/v1/messages',
  'OpenAI responses': '/v1/responses',
  'OpenAI chat completions': '/v1/chat/completions',
  Gemini: '/v1beta/models/gemini-3-flash:generateContent?alt=sse',
  'Bedrock converse': '/model/anthropic.claude/converse',
};

/** Registers a test for each rule: those whose example takes a megabyte or more, or those with smaller examples. */
export function checkRules(size: 'large' | 'small'): void {
  describe.each(strictVendors)('$name', ({ name, rules, error }) => {
    it.each(rules.filter((rule) => sizeOf(rule) === size))('$message', (rule) => {
      const refusal = refusalOf(paths[name] ?? '', JSON.stringify(rule.example));
      expect(refusal?.rule.message).toBe(rule.message);
      const unverified = standingOf(rule) === 'unverified' ? ', unverified' : '';
      expect(refusal?.body).toBe(
        JSON.stringify(error(`${rule.message} (see ${rule.source}${unverified})`, refusal?.status ?? 0)),
      );
      expect(rule.source).toMatch(/^https:\/\/\S+$/);
    });
  });
}

function sizeOf({ example }: VendorRule): 'large' | 'small' {
  return JSON.stringify(example).length < 1_000_000 ? 'small' : 'large';
}
