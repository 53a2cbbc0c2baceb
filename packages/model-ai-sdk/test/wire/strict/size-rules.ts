import type { JsonObject, JsonValue } from '@shallot/core';

import { isJsonObject } from '../../../src/sdk/metadata.ts';
import { inside, objectsOf, stringOf, type VendorRule } from './vendor-rule.ts';

const million = 1_000_000;
const mebibyte = 1024 * 1024;

/** Returns base64 text for this many bytes. */
function base64(bytes: number): string {
  return 'A'.repeat(Math.ceil((bytes * 4) / 3));
}

/** Returns all objects of a request, at any depth, with this value of `type`. */
function allOf(value: JsonValue | undefined, type: string): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((each: JsonValue) => allOf(each, type));
  if (!isJsonObject(value)) return [];
  const inner = Object.values(value).flatMap((each) => allOf(each, type));
  return value['type'] === type ? [value, ...inner] : inner;
}

const vision = 'https://platform.claude.com/docs/en/build-with-claude/vision';
const anthropicUser = (...content: readonly JsonObject[]): JsonObject => ({
  messages: [{ role: 'user', content }],
});
const anthropicImage = (data: string): JsonObject => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
});
/** Models with a context of a million tokens. */
const largeClaude = /claude-(?:fable-5|opus-4-[6-9]|opus-5|sonnet-4-6|sonnet-5)/;

export const anthropicSizeRules: readonly VendorRule[] = [
  {
    message: 'Request exceeds the maximum allowed number of bytes.',
    source: 'https://platform.claude.com/docs/en/api/overview',
    isBroken: (_body, bytes) => bytes > 32 * million,
    example: anthropicUser({ type: 'text', text: 'x'.repeat(32 * million) }),
    status: 413,
  },
  {
    message: 'messages: image exceeds 10 MB maximum (of base64)',
    source: vision,
    isBroken: (body) =>
      allOf(body, 'image').some((image) => stringOf(inside(image, 'source', 'data')).length > 10 * mebibyte),
    example: anthropicUser(anthropicImage('A'.repeat(10 * mebibyte + 4))),
  },
  {
    message: 'too many images: at most 100 in a request, 600 to models with a context of a million tokens',
    source: vision,
    isBroken: (body) => allOf(body, 'image').length > (largeClaude.test(stringOf(body['model'])) ? 600 : 100),
    example: anthropicUser(...Array.from({ length: 101 }, () => anthropicImage('AAAA'))),
  },
];

const geminiPage = 'https://ai.google.dev/gemini-api/docs/file-input-methods';
const geminiUser = (...parts: readonly JsonObject[]): JsonObject => ({ contents: [{ role: 'user', parts }] });

export const geminiSizeRules: readonly VendorRule[] = [
  {
    message: 'Request payload size exceeds the limit of 100 MB.',
    source: geminiPage,
    isBroken: (_body, bytes) => bytes > 100 * million,
    example: geminiUser({ text: 'x'.repeat(100 * million) }),
  },
  {
    message: 'A PDF file in a request must be no more than 50 MB.',
    source: geminiPage,
    isBroken: (body) =>
      objectsOf(body['contents'])
        .flatMap((each) => objectsOf(each['parts']))
        .map((part) => inside(part, 'inlineData'))
        .some(
          (file) =>
            inside(file, 'mimeType') === 'application/pdf' && sizeOf(inside(file, 'data')) > 50 * million,
        ),
    example: geminiUser({ inlineData: { mimeType: 'application/pdf', data: base64(50 * million + 3) } }),
  },
];

const openAiPage = 'https://developers.openai.com/api/docs/guides';

/** Returns true for OpenAI's own models. Other vendors with this interface have other limits, which are not known. */
function isOpenAi({ model }: JsonObject): boolean {
  return /^(?:gpt-|o\d|ft:|a-deployment)/.test(stringOf(model));
}

/**
 * Returns the size rules of one of OpenAI's two APIs, which name their parts differently. `fileWith` makes a file part,
 * and `asking` a request.
 */
export function openAiSizeRules(
  types: { readonly image: string; readonly file: string },
  fileWith: (data: string) => JsonObject,
  asking: (parts: readonly JsonObject[]) => JsonObject,
): readonly VendorRule[] {
  const dataOf = (part: JsonObject): JsonValue | undefined =>
    part['file_data'] ?? inside(part, 'file', 'file_data');
  const half = fileWith(`data:application/pdf;base64,${base64(25 * million + 3)}`);
  return [
    {
      message: 'Each file must be under 50 MB, and all files of a request together, too.',
      source: `${openAiPage}/file-inputs`,
      isBroken: (body) =>
        isOpenAi(body) &&
        allOf(body, types.file).reduce((sum, part) => sum + sizeOf(dataOf(part)), 0) > 50 * million,
      example: { model: 'gpt-5', ...asking([half, half]) },
    },
    {
      message: 'Up to 1500 individual image inputs per request.',
      source: `${openAiPage}/images-vision`,
      isBroken: (body) => isOpenAi(body) && allOf(body, types.image).length > 1500,
      example: { model: 'gpt-5', ...asking(Array.from({ length: 1501 }, () => ({ type: types.image }))) },
    },
    {
      message: "Invalid 'tools': array too long. Expected an array with maximum length 128.",
      source: 'https://github.com/cgoinglove/better-chatbot/issues/197',
      isBroken: (body) => isOpenAi(body) && objectsOf(body['tools']).length > 128,
      example: {
        model: 'gpt-5',
        tools: Array.from({ length: 129 }, () => ({ type: 'web_search' })),
        ...asking([{ type: 'text', text: 'Hi' }]),
      },
    },
  ];
}

const bedrockErrors = 'https://github.com/aws-samples/generative-ai-use-cases/issues/1685';
const bedrockPage = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html';

export const bedrockCountRules: readonly VendorRule[] = [
  {
    message: 'Requests to models of Anthropic must be no more than 20 MB.',
    source: 'https://platform.claude.com/docs/en/api/overview#request-size-limits',
    isBroken: ({ model }, bytes) => /anthropic|claude/.test(stringOf(model)) && bytes > 20 * million,
    example: {
      model: 'anthropic.claude',
      messages: [{ role: 'user', content: [{ text: 'x'.repeat(20 * million) }] }],
    },
    status: 413,
  },
  {
    message: 'A maximum of 4 cache checkpoints per request.',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html',
    isBroken: (body) => JSON.stringify(body).split('"cachePoint":{').length - 1 > 4,
    example: {
      messages: [
        {
          role: 'user',
          content: [
            { text: 'Hi' },
            ...Array.from({ length: 5 }, () => ({ cachePoint: { type: 'default' } })),
          ],
        },
      ],
    },
  },
  {
    message: "You can't include more than 5 documents in a request.",
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/inference-api-restrictions.html',
    isBroken: (body) =>
      objectsOf(body['messages']).reduce((sum, each) => sum + filesIn(each, 'document').length, 0) > 5,
    example: {
      messages: Array.from({ length: 6 }, (_, index) => ({
        role: 'user',
        content: [{ text: 'Hi' }, document(`a ${index}`)],
      })),
    },
  },
  {
    message: "Messages can't contain duplicate document names.",
    source: bedrockErrors,
    isBroken: (body) => {
      const names = objectsOf(body['messages'])
        .flatMap((each) => filesIn(each, 'document'))
        .map((block) => stringOf(inside(block, 'document', 'name')).toLowerCase());
      return new Set(names).size < names.length;
    },
    example: { messages: [{ role: 'user', content: [{ text: 'Hi' }, document('a'), document('a')] }] },
  },
  {
    message: 'You can include up to 20 images in a message.',
    source: bedrockPage,
    isBroken: (body) => objectsOf(body['messages']).some((each) => filesIn(each, 'image').length > 20),
    example: {
      messages: [
        {
          role: 'user',
          content: Array.from({ length: 21 }, () => ({
            image: { format: 'png', source: { bytes: 'AAAA' } },
          })),
        },
      ],
    },
  },
];

function document(name: string): JsonObject {
  return { document: { name, format: 'pdf', source: { bytes: 'AAAA' } } };
}

/** Returns the images or documents of a message, including those in its results. */
function filesIn(message: JsonObject, kind: 'image' | 'document'): readonly JsonObject[] {
  const blocks = objectsOf(message['content']);
  const results = blocks.flatMap((block) => objectsOf(inside(block, 'toolResult', 'content')));
  return [...blocks, ...results].filter((block) => kind in block);
}

/** Returns the size in bytes of a file that is given as base64 or as a data URL. */
function sizeOf(data: JsonValue | undefined): number {
  const text = stringOf(data);
  return Math.floor(((text.length - (text.indexOf(',') + 1)) * 3) / 4);
}
