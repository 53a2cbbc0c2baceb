import type { JsonObject } from '@shallot/core';

import { openAiSizeRules } from './size-rules.ts';
import { strictSchemaRules } from './strict-schema-rules.ts';
import { areSame, inside, objectsOf, stringOf, type VendorRule } from './vendor-rule.ts';

const user: JsonObject = { role: 'user', content: 'Hi' };
const called = (id: string, name = 'look'): JsonObject => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
});
const result = (id: string): JsonObject => ({ role: 'tool', tool_call_id: id, content: 'calm' });

/** The rules of OpenAI's Chat Completions API, whose interface most other servers have adopted. */
export const chatRules: readonly VendorRule[] = [
  {
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    source: 'https://github.com/BerriAI/litellm/issues/28995',
    isBroken: (body) =>
      messagesOf(body).some((each, index, all) => {
        const ids = callsOf(each).map(({ id }) => id);
        return ids.length > 0 && !areSame(ids, resultsAfter(all, index));
      }),
    example: { messages: [user, called('c1'), user] },
  },
  {
    message: "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
    source: 'https://github.com/microsoft/promptflow/pull/3130',
    isBroken: (body) =>
      messagesOf(body).some(({ role, tool_call_id: id }, index, all) => {
        if (role !== 'tool') return false;
        const caller = all.slice(0, index).findLast((each) => each['role'] !== 'tool');
        return caller === undefined || !callsOf(caller).some((call) => call['id'] === id);
      }),
    example: { messages: [user, result('c1')] },
  },
  {
    message:
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40.",
    source: 'https://github.com/vercel/ai/issues/5171',
    isBroken: (body) =>
      messagesOf(body)
        .flatMap(callsOf)
        .some(({ id }) => stringOf(id).length > 40),
    example: { messages: [user, called('c'.repeat(41)), result('c'.repeat(41))] },
  },
  {
    message: "Invalid 'tools[0].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.",
    source: 'https://github.com/brekkylab/ailoy/pull/109',
    isBroken: (body) =>
      [...objectsOf(body['tools']), ...messagesOf(body).flatMap(callsOf)].some(
        (each) => !/^[\w-]{1,64}$/.test(stringOf(inside(each, 'function', 'name') ?? 'none')),
      ),
    example: { messages: [user, called('c1', 'look it up!'), result('c1')] },
  },
  {
    message: "Invalid value for 'content': expected a string, got null.",
    source: 'https://github.com/langchain-ai/langchainjs/issues/4153',
    isBroken: (body) =>
      messagesOf(body).some((each) => {
        const { content } = each;
        const hasNone =
          content === undefined || content === null || (Array.isArray(content) && content.length === 0);
        return hasNone && callsOf(each).length === 0;
      }),
    example: { messages: [{ role: 'user', content: [] }] },
  },
  {
    message: "Invalid 'messages': empty array. Expected an array with minimum length 1.",
    source: 'https://github.com/CopilotKit/CopilotKit/issues/529',
    isBroken: (body) => messagesOf(body).length === 0,
    example: { messages: [] },
  },
  ...openAiSizeRules(
    { image: 'image_url', file: 'file' },
    (data) => ({ type: 'file', file: { file_data: data } }),
    (content) => ({ messages: [{ role: 'user', content }] }),
  ),
  ...strictSchemaRules(
    (body) =>
      inside(body, 'response_format', 'json_schema', 'strict') === true
        ? inside(body, 'response_format', 'json_schema', 'schema')
        : undefined,
    (schema) => ({
      messages: [user],
      response_format: { type: 'json_schema', json_schema: { strict: true, schema } },
    }),
  ),
];

function messagesOf(body: JsonObject): readonly JsonObject[] {
  return objectsOf(body['messages']);
}

function callsOf(message: JsonObject): readonly JsonObject[] {
  return objectsOf(message['tool_calls']);
}

function resultsAfter(messages: readonly JsonObject[], index: number): readonly unknown[] {
  const rest = messages.slice(index + 1);
  const end = rest.findIndex(({ role }) => role !== 'tool');
  return rest.slice(0, end === -1 ? rest.length : end).map((each) => each['tool_call_id']);
}
