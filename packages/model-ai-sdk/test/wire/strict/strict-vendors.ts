import type { JsonObject, JsonValue } from '@shallot/core';

import { isJsonObject } from '../../../src/sdk/metadata.ts';
import { anthropicRules } from './anthropic-rules.ts';
import { bedrockRules } from './bedrock-rules.ts';
import { chatRules } from './chat-rules.ts';
import { geminiRules } from './gemini-rules.ts';
import { responsesRules } from './responses-rules.ts';
import { standingOf, type VendorRule } from './vendor-rule.ts';

/** A vendor's API: the path of its requests, the rules by which it refuses them, and the format of its errors. */
export interface StrictVendor {
  readonly name: string;
  readonly path: RegExp;
  readonly rules: readonly VendorRule[];
  readonly error: (message: string, status: number) => JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

const openAiError = (message: string): JsonObject => ({
  error: { message, type: 'invalid_request_error', param: null, code: null },
});

export const strictVendors: readonly StrictVendor[] = [
  {
    name: 'Anthropic messages',
    path: /\/messages$/,
    rules: anthropicRules,
    error: (message, status) => ({
      type: 'error',
      error: { type: status === 413 ? 'request_too_large' : 'invalid_request_error', message },
    }),
  },
  { name: 'OpenAI responses', path: /\/responses$/, rules: responsesRules, error: openAiError },
  { name: 'OpenAI chat completions', path: /\/chat\/completions$/, rules: chatRules, error: openAiError },
  {
    name: 'Gemini',
    path: /:(?:streamG|g)enerateContent$/,
    rules: geminiRules,
    error: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  },
  {
    name: 'Bedrock converse',
    path: /\/converse(?:-stream)?$/,
    rules: bedrockRules,
    error: (message) => ({ message }),
    headers: { 'x-amzn-errortype': 'ValidationException' },
  },
];

/** A refusal of a request, as the vendor would send it. */
export interface Refusal {
  readonly rule: VendorRule;
  readonly message: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the vendor whose API a path belongs to; undefined if there are no rules for it. */
export function strictVendorOf(path: string): StrictVendor | undefined {
  const [plain = ''] = path.split('?', 1);
  return strictVendors.find((each) => each.path.test(plain));
}

/**
 * Returns the refusal of a request by the vendor that its path belongs to; undefined if the vendor accepts it, or has
 * no rules.
 */
export function refusalOf(path: string, text: string): Refusal | undefined {
  const [plain = ''] = path.split('?', 1);
  const vendor = strictVendorOf(path);
  if (vendor === undefined) return undefined;
  const body = JSON.parse(text) as JsonValue;
  if (!isJsonObject(body)) return undefined;
  // Gemini and Bedrock name the model in the path.
  const asked = { model: decodeURIComponent(plain), ...body };
  const bytes = Buffer.byteLength(text);
  const rule = vendor.rules.find((each) => each.isBroken(asked, bytes));
  if (rule === undefined) return undefined;
  const standing = standingOf(rule);
  const message = `${rule.message} (see ${rule.source}${standing === 'unverified' ? ', unverified' : ''})`;
  const { status = 400 } = rule;
  return {
    rule,
    message,
    status,
    headers: { 'content-type': 'application/json', ...vendor.headers },
    body: JSON.stringify(vendor.error(message, status)),
  };
}
