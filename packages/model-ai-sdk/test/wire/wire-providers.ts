import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createGoogle } from '@ai-sdk/google';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createXai } from '@ai-sdk/xai';
import type { ModelSettings } from '@shallot/core/model';
import { createOpenAI as createOpenAIv2 } from 'ai-sdk-openai-v2';
import { createOpenAI as createOpenAIv3 } from 'ai-sdk-openai-v3';
import { createOllama } from 'ollama-ai-provider-v2';

import type { aiSdkModel } from '../../src/index.ts';

/** A provider package as the wire tests use it, with the facts about its protocol. */
export interface WireProvider {
  readonly name: string;
  readonly make: (url: string) => Parameters<typeof aiSdkModel>[0];
  /**
   * Text in each request that asks for an answer of a given shape. Absent if the mock cannot produce such an answer.
   */
  readonly outputMark?: string;
  /** The reasoning in the provider's answers; it is added if the mock has none. */
  readonly reasoning?: {
    /** Data that the provider expects back in the next request. Absent if there is none. */
    readonly sentBack?: string;
    readonly settings?: ModelSettings;
    readonly rewrite?: (body: string) => string;
  };
  /** Adds usage to an answer, with the usage that must come of it. */
  readonly usage?: { readonly put: (body: string) => string; readonly gives: object };
  /** True if argument text arrives as the model wrote it; false if the protocol turns it into JSON. */
  readonly rawArguments: boolean;
  /** True if a call arrives whole or not at all, so that it cannot be cut off. */
  readonly wholeCalls?: true;
  /** False if the package ignores an event that is not JSON. */
  readonly noticesGarbled?: false;
  /** An event that ends a streamed answer because the server is overloaded, if the protocol has one. */
  readonly errorEvent?: string;
  /** The body of a response with status 400 for a request that exceeds the model's context. */
  readonly overflow: string;
}

/** The key that all of these packages send. */
export const wireKey = 'sk-wire-0123456789abcdef';

/** Data that Anthropic and Google expect back. */
const signature = 'signature-of-the-provider';
const cachedAndReasoned = { input: 100, output: 20, total: 120, cacheRead: 60, reasoning: 5 };
const openAiOverflow =
  '{"error":{"message":"This model\'s maximum context length is 128000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}';

const openAiError =
  'data: {"error":{"message":"The server is overloaded.","type":"server_error","code":null}}\n\n';

const responses = {
  outputMark: '"json_schema"',
  reasoning: {
    sentBack: signature,
    rewrite: (body: string): string =>
      body.replaceAll(/"encrypted_content":"[^"]*"/g, `"encrypted_content":"${signature}"`),
  },
  usage: {
    put: usageAs(
      '"usage"',
      '{"input_tokens":100,"output_tokens":20,"total_tokens":120,"input_tokens_details":{"cached_tokens":60},"output_tokens_details":{"reasoning_tokens":5}}',
    ),
    gives: cachedAndReasoned,
  },
  rawArguments: true,
  errorEvent:
    'data: {"type":"error","sequence_number":9,"code":"server_error","message":"The server is overloaded.","param":null}\n\n',
  overflow: openAiOverflow,
} as const satisfies Partial<WireProvider>;

const chat = {
  outputMark: '"json_schema"',
  usage: {
    put: usageAs(
      '"usage"',
      '{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":5}}',
    ),
    gives: cachedAndReasoned,
  },
  rawArguments: true,
  overflow: openAiOverflow,
} as const satisfies Partial<WireProvider>;

const apiKey = wireKey;

export const wireProviders: readonly WireProvider[] = [
  {
    name: 'openai, responses',
    make: (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses('gpt-5'),
    ...responses,
  },
  {
    name: 'openai, chat',
    make: (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat('gpt-4.1'),
    ...chat,
    errorEvent: openAiError,
  },
  {
    name: 'openai, chat, of specification v2',
    make: (url) => createOpenAIv2({ baseURL: `${url}/v1`, apiKey }).chat('gpt-4.1'),
    ...chat,
    errorEvent: openAiError,
  },
  {
    name: 'openai, chat, of specification v3',
    make: (url) => createOpenAIv3({ baseURL: `${url}/v1`, apiKey }).chat('gpt-4.1'),
    ...chat,
    errorEvent: openAiError,
  },
  {
    name: 'anthropic',
    make: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey })('claude-sonnet-4-5'),
    outputMark: '"json_schema"',
    reasoning: {
      sentBack: signature,
      settings: { provider: { anthropic: { thinking: { type: 'enabled', budgetTokens: 2000 } } } },
    },
    usage: {
      put: usageAs(
        '"usage"',
        '{"input_tokens":30,"cache_read_input_tokens":60,"cache_creation_input_tokens":10,"output_tokens":20}',
      ),
      gives: { input: 100, output: 20, total: 120, cacheRead: 60, cacheWrite: 10 },
    },
    rawArguments: false,
    errorEvent:
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    overflow:
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 250000 tokens > 200000 maximum"}}',
  },
  {
    name: 'google',
    make: (url) => createGoogle({ baseURL: `${url}/v1beta`, apiKey })('gemini-2.5-pro'),
    outputMark: '"responseMimeType":"application/json"',
    reasoning: {
      sentBack: signature,
      rewrite: (body) =>
        body.replaceAll('"functionCall":', `"thoughtSignature":"${signature}","functionCall":`),
    },
    usage: {
      put: usageAs(
        '"usageMetadata"',
        '{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":15,"thoughtsTokenCount":5,"totalTokenCount":120}',
      ),
      gives: cachedAndReasoned,
    },
    rawArguments: false,
    errorEvent:
      'data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}\n\n',
    overflow:
      '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."}}',
  },
  {
    name: 'ollama',
    make: (url) => createOllama({ baseURL: `${url}/api` })('qwen3'),
    outputMark: '"format":{',
    reasoning: { rewrite: (body) => body.replaceAll('"reasoning_content"', '"thinking"') },
    usage: {
      put: (body) =>
        body
          .replaceAll(/"prompt_eval_count":\d+/g, '"prompt_eval_count":100')
          .replaceAll(/"eval_count":\d+/g, '"eval_count":20'),
      gives: { input: 100, output: 20, total: 120 },
    },
    rawArguments: false,
    noticesGarbled: false,
    wholeCalls: true,
    overflow: '{"error":"the input length exceeds the context length"}',
  },
  {
    name: 'openai-compatible',
    make: (url) =>
      createOpenAICompatible({
        name: 'local',
        baseURL: `${url}/v1`,
        apiKey,
        includeUsage: true,
        supportsStructuredOutputs: true,
      })('local-model'),
    ...chat,
    errorEvent: openAiError,
    reasoning: {},
  },
  {
    name: 'mistral',
    make: (url) => createMistral({ baseURL: `${url}/v1`, apiKey })('mistral-large-latest'),
    ...chat,
    usage: {
      // In streams the mock reports usage only on request, and this package does not request it.
      put: (body) =>
        chat.usage.put(
          body.includes('"usage"') ? body : body.replaceAll('"finish_reason":"stop"}]', '$&,"usage":null'),
        ),
      gives: { input: 100, output: 20, total: 120, cacheRead: 60 },
    },
    overflow:
      '{"object":"error","message":"Prompt contains 200000 tokens, too large for model with 131072 maximum context length","type":"invalid_request_error","code":"3051"}',
  },
  {
    name: 'xai',
    make: (url) => createXai({ baseURL: `${url}/v1`, apiKey })('grok-4'),
    ...responses,
    reasoning: {
      sentBack: signature,
      rewrite: (body) =>
        body.replaceAll(
          '"type":"reasoning",',
          `"type":"reasoning","status":"completed","encrypted_content":"${signature}",`,
        ),
    },
  },
  {
    name: 'azure',
    make: (url) => createAzure({ baseURL: `${url}/openai`, apiKey })('a-deployment'),
    ...responses,
  },
  {
    name: 'amazon-bedrock',
    make: (url) =>
      createAmazonBedrock({ baseURL: url, region: 'us-east-1', apiKey })('anthropic.claude-sonnet-4-5-v1:0'),
    reasoning: {},
    rawArguments: false,
    overflow: '{"message":"Input is too long for requested model."}',
  },
];

function usageAs(key: string, usage: string): (body: string) => string {
  const flat = new RegExp(`${key}:(?:null|\\{(?:[^{}]|\\{[^{}]*\\})*\\})`, 'g');
  return (body) => body.replaceAll(flat, `${key}:${usage}`);
}
