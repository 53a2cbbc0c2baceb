import type { JsonObject } from '@shallot/core';

import { geminiSizeRules } from './size-rules.ts';
import { inside, objectsOf, stringOf, type VendorRule } from './vendor-rule.ts';

const user: JsonObject = { role: 'user', parts: [{ text: 'Hi' }] };
const call: JsonObject = { functionCall: { name: 'look', args: {} } };
const result: JsonObject = { functionResponse: { name: 'look', response: {} } };

/** The rules of the Gemini API, which also apply to Vertex AI. */
export const geminiRules: readonly VendorRule[] = [
  {
    message: 'contents.parts must not be empty.',
    source: 'https://github.com/vercel/ai/issues/3775',
    isBroken: (body) =>
      contentsOf(body).length === 0 || contentsOf(body).some((each) => partsOf(each).length === 0),
    example: { contents: [{ role: 'user', parts: [] }] },
  },
  {
    message:
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    source: 'https://github.com/google-gemini/gemini-cli/issues/26486',
    isBroken: (body) =>
      contentsOf(body).some(
        (each, index, all) => has(each, 'functionCall') && all[index - 1]?.['role'] !== 'user',
      ),
    example: {
      contents: [
        { role: 'model', parts: [call] },
        { role: 'user', parts: [result] },
      ],
    },
  },
  {
    message:
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    source: 'https://github.com/google-gemini/gemini-cli/issues/3814',
    isBroken: (body) =>
      contentsOf(body).some(
        (each, index, all) =>
          (has(each, 'functionCall') &&
            count(each, 'functionCall') !== count(all[index + 1], 'functionResponse')) ||
          (has(each, 'functionResponse') && !has(all[index - 1], 'functionCall')),
      ),
    example: { contents: [user, { role: 'model', parts: [call, call] }, { role: 'user', parts: [result] }] },
  },
  {
    message: 'Please ensure that multiturn requests end with a user role or a function response.',
    source: 'https://github.com/crewAIInc/crewAI/pull/6973',
    isBroken: (body) => contentsOf(body).at(-1)?.['role'] === 'model',
    example: { contents: [user, { role: 'model', parts: [{ text: 'I' }] }] },
  },
  {
    message: 'Function call is missing a thought_signature in functionCall parts.',
    source: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
    isBroken: (body) => {
      const contents = contentsOf(body);
      const start = contents.findLastIndex(
        (each) => each['role'] === 'user' && !has(each, 'functionResponse'),
      );
      return (
        stringOf(body['model']).includes('gemini-3') &&
        contents.slice(start + 1).some((each) => {
          const first = partsOf(each).find((part) => 'functionCall' in part);
          return first !== undefined && typeof first['thoughtSignature'] !== 'string';
        })
      );
    },
    example: {
      model: 'gemini-3-flash',
      contents: [user, { role: 'model', parts: [call] }, { role: 'user', parts: [result] }],
    },
  },
  {
    message:
      'Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.',
    source: 'https://github.com/kaitranntt/ccs/issues/25',
    isBroken: (body) =>
      objectsOf(body['tools'])
        .flatMap((tool) => objectsOf(tool['functionDeclarations']))
        .some(({ name }) => !/^[A-Za-z_][\w.:-]{0,63}$/.test(stringOf(name))),
    example: { tools: [{ functionDeclarations: [{ name: '1 look' }] }], contents: [user] },
  },
  ...geminiSizeRules,
];

function contentsOf(body: JsonObject): readonly JsonObject[] {
  return objectsOf(body['contents']);
}

function partsOf(content: JsonObject): readonly JsonObject[] {
  return objectsOf(content['parts']);
}

function count(content: JsonObject | undefined, key: string): number {
  return objectsOf(inside(content, 'parts')).filter((part) => key in part).length;
}

function has(content: JsonObject | undefined, key: string): boolean {
  return count(content, key) > 0;
}
