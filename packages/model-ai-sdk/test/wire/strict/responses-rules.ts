import type { JsonObject } from '@shallot/core';

import { openAiSizeRules } from './size-rules.ts';
import { strictSchemaRules } from './strict-schema-rules.ts';
import { inside, objectsOf, stringOf, type VendorRule } from './vendor-rule.ts';

const user: JsonObject = { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] };
const call: JsonObject = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' };
const output: JsonObject = { type: 'function_call_output', call_id: 'c1', output: 'calm' };
const thought: JsonObject = { type: 'reasoning', id: 'rs_1', encrypted_content: 'x', summary: [] };

/** The rules of OpenAI's Responses API, which also apply to Azure. */
export const responsesRules: readonly VendorRule[] = [
  {
    message: 'No tool output found for function call.',
    source: 'https://github.com/openai/codex/issues/93',
    isBroken: (body) => {
      const answered = idsOf(body, 'function_call_output');
      return idsOf(body, 'function_call').some((id) => !answered.includes(id));
    },
    example: { input: [user, call] },
  },
  {
    message: 'No tool call found for function call output with this call_id.',
    source: 'https://github.com/microsoft/vscode/issues/320060',
    isBroken: (body) => {
      const items = inputOf(body);
      return items.some(
        ({ type, call_id: id }, index) =>
          type === 'function_call_output' &&
          !items.slice(0, index).some((each) => each['type'] === 'function_call' && each['call_id'] === id),
      );
    },
    example: { input: [user, output] },
  },
  {
    message: "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64.",
    source: 'https://github.com/openclaw/openclaw/pull/875',
    isBroken: (body) => idsOf(body, 'function_call').some((id) => stringOf(id).length > 64),
    example: {
      input: [user, { ...call, call_id: 'c'.repeat(65) }, { ...output, call_id: 'c'.repeat(65) }],
    },
  },
  {
    message: "Item of type 'reasoning' was provided without its required following item.",
    source: 'https://github.com/vercel/ai/issues/7099',
    isBroken: (body) =>
      inputOf(body).some(({ type }, index, items) => {
        const next = items[index + 1];
        return type === 'reasoning' && (next === undefined || 'output' in next || next['role'] === 'user');
      }),
    example: { input: [user, thought, user] },
  },
  {
    message: 'Items are not persisted when `store` is set to false.',
    source: 'https://github.com/can1357/oh-my-pi/pull/50',
    isBroken: (body) =>
      body['store'] === false &&
      inputOf(body).some(
        ({ type, encrypted_content: content }) =>
          type === 'item_reference' || (type === 'reasoning' && typeof content !== 'string'),
      ),
    example: { store: false, input: [user, { type: 'item_reference', id: 'msg_1' }] },
  },
  {
    message: 'Encrypted content is not supported with this model.',
    source: 'https://github.com/pydantic/pydantic-ai/issues/2865',
    isBroken: (body) => asksForThoughts(body) && /^gpt-4|gpt-5-chat/.test(stringOf(body['model'])),
    example: { model: 'gpt-4o', include: ['reasoning.encrypted_content'], input: [user] },
  },
  {
    message: "Invalid 'tools[0].name': string does not match pattern '^[a-zA-Z0-9_-]+$'.",
    source: 'https://github.com/openai/openai-dotnet/issues/441',
    isBroken: (body) =>
      [...objectsOf(body['tools']), ...inputOf(body)].some(
        ({ type, name }) =>
          (type === 'function' || type === 'function_call') && !/^[\w-]{1,64}$/.test(stringOf(name)),
      ),
    example: { tools: [{ type: 'function', name: 'look it up!' }], input: [user] },
  },
  {
    message: "Missing required parameter: 'input'.",
    source: 'https://github.com/pydantic/pydantic-ai/pull/3470',
    isBroken: (body) => typeof body['input'] !== 'string' && inputOf(body).length === 0,
    example: { input: [] },
  },
  ...openAiSizeRules(
    { image: 'input_image', file: 'input_file' },
    (data) => ({ type: 'input_file', file_data: data }),
    (content) => ({ input: [{ role: 'user', content }] }),
  ),
  ...strictSchemaRules(
    (body) =>
      inside(body, 'text', 'format', 'strict') === true
        ? inside(body, 'text', 'format', 'schema')
        : undefined,
    (schema) => ({ input: [user], text: { format: { type: 'json_schema', strict: true, schema } } }),
  ),
];

/** Returns true if a request asks for the encrypted content of the model's reasoning. */
export function asksForThoughts(body: JsonObject): boolean {
  const { include } = body;
  return Array.isArray(include) && include.includes('reasoning.encrypted_content');
}

function inputOf(body: JsonObject): readonly JsonObject[] {
  return objectsOf(body['input']);
}

function idsOf(body: JsonObject, type: string): readonly unknown[] {
  return inputOf(body).flatMap((item) => (item['type'] === type ? [item['call_id']] : []));
}
