import type { JsonObject, JsonValue } from '@shallot/core';

import { bedrockCountRules } from './size-rules.ts';
import { areSame, inside, isBlank, objectsOf, stringOf, type VendorRule } from './vendor-rule.ts';

const user: JsonObject = { role: 'user', content: [{ text: 'Hi' }] };
const call: JsonObject = { toolUse: { toolUseId: 'c1', name: 'look', input: {} } };
const toolConfig: JsonObject = { tools: [{ toolSpec: { name: 'look' } }] };

const reference = 'https://docs.aws.amazon.com/bedrock/latest/APIReference';
const megabyte = 1024 * 1024;
const constrained = /^[\w-]{1,64}$/;

/** The rules of Bedrock's Converse API. */
export const bedrockRules: readonly VendorRule[] = [
  {
    message: 'The text field in the ContentBlock object is blank. Add text to the text field, and try again.',
    source: 'https://github.com/earendil-works/pi/issues/4975',
    isBroken: (body) =>
      [...objectsOf(body['system']), ...messagesOf(body).flatMap(blocksOf)].some(({ text }) => isBlank(text)),
    example: { messages: [{ role: 'user', content: [{ text: ' ' }] }] },
  },
  {
    message: 'messages: text content blocks must be non-empty (in a toolResult)',
    source: 'https://github.com/NousResearch/hermes-agent/issues/55092',
    isBroken: (body) =>
      messagesOf(body)
        .flatMap(blocksOf)
        .flatMap((block) => objectsOf(inside(block, 'toolResult', 'content')))
        .some(({ text }) => isBlank(text)),
    example: {
      toolConfig,
      messages: [
        user,
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ text: '' }] } }] },
      ],
    },
  },
  {
    message: 'The content field in the Message object is empty.',
    source: 'https://github.com/archestra-ai/archestra/pull/4220',
    isBroken: (body) => messagesOf(body).some((each) => blocksOf(each).length === 0),
    example: { messages: [{ role: 'user', content: [] }] },
  },
  {
    message: 'A conversation must start with a user message.',
    source: 'https://github.com/NousResearch/hermes-agent/pull/63983',
    isBroken: (body) => messagesOf(body)[0]?.['role'] !== 'user',
    example: { messages: [{ role: 'assistant', content: [{ text: 'Hi' }] }, user] },
  },
  {
    message: 'Expected toolResult blocks for each toolUse block, and none without one.',
    source: 'https://github.com/agno-agi/agno/issues/6698',
    isBroken: (body) =>
      messagesOf(body).some(
        (each, index, all) =>
          !areSame(idsOf(each, 'toolUse'), idsOf(all[index + 1], 'toolResult')) ||
          (index === 0 && idsOf(each, 'toolResult').length > 0),
      ),
    example: { toolConfig, messages: [user, { role: 'assistant', content: [call] }, user] },
  },
  {
    message: 'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    source: 'https://github.com/vxcontrol/pentagi/pull/196',
    isBroken: (body) =>
      objectsOf(inside(body, 'toolConfig', 'tools')).length === 0 &&
      messagesOf(body)
        .flatMap(blocksOf)
        .some((block) => 'toolUse' in block || 'toolResult' in block),
    example: {
      messages: [
        user,
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ text: 'calm' }] } }] },
      ],
    },
  },
  {
    message: 'A text block must be included when using documents.',
    source: 'https://github.com/archestra-ai/archestra/pull/4220',
    isBroken: (body) =>
      messagesOf(body).some(
        (each) =>
          blocksOf(each).some((block) => 'document' in block) &&
          !blocksOf(each).some((block) => 'text' in block),
      ),
    example: { messages: [{ role: 'user', content: [{ document: { name: 'a' } }] }] },
  },
  {
    message:
      'The document name can only contain alphanumeric characters, single whitespace characters, hyphens, parentheses and square brackets, 200 at most.',
    source: `${reference}/API_runtime_DocumentBlock.html`,
    isBroken: (body) =>
      filesOf(body).some(
        ({ document }) => document !== undefined && !/^(?!.*\s\s)[\w\s()[\]-]{1,200}$/.test(nameIn(document)),
      ),
    example: { messages: [{ role: 'user', content: [{ text: 'Hi' }, { document: { name: 'a.pdf' } }] }] },
  },
  {
    message: 'An image must be no more than 3.75 MB.',
    source: `${reference}/API_runtime_Message.html`,
    isBroken: (body) => filesOf(body).some(({ image }) => bytesIn(image) > 3.75 * megabyte),
    example: withBytes('image', { format: 'png' }, 3.75),
  },
  {
    message: 'A document that is no PDF must be no more than 4.5 MB.',
    source: `${reference}/API_runtime_Message.html`,
    isBroken: (body) =>
      filesOf(body).some(
        ({ document }) => inside(document, 'format') !== 'pdf' && bytesIn(document) > 4.5 * megabyte,
      ),
    example: withBytes('document', { format: 'docx', name: 'a' }, 4.5),
  },
  {
    message: "toolConfig.tools: toolSpec.name failed to satisfy constraint: '[a-zA-Z0-9_-]+', 64 characters.",
    source: `${reference}/API_runtime_ToolSpecification.html`,
    isBroken: (body) =>
      [
        ...objectsOf(inside(body, 'toolConfig', 'tools')).map((tool) => inside(tool, 'toolSpec', 'name')),
        ...messagesOf(body)
          .flatMap(blocksOf)
          .map((block) => inside(block, 'toolUse', 'name')),
      ].some((name) => name !== undefined && !constrained.test(stringOf(name))),
    example: { toolConfig: { tools: [{ toolSpec: { name: 'look it up!' } }] }, messages: [user] },
  },
  {
    message: "toolUse.toolUseId failed to satisfy constraint: '[a-zA-Z0-9_-]+', 64 characters.",
    source: `${reference}/API_runtime_ToolUseBlockStart.html`,
    isBroken: (body) =>
      messagesOf(body)
        .flatMap((each) => idsOf(each, 'toolUse'))
        .some((id) => !constrained.test(stringOf(id))),
    example: {
      toolConfig,
      messages: [
        user,
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'a:1', name: 'look', input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'a:1', content: [{ text: 'calm' }] } }] },
      ],
    },
  },
  ...bedrockCountRules,
];

function withBytes(kind: 'image' | 'document', more: JsonObject, megabytes: number): JsonObject {
  const bytes = 'A'.repeat(Math.ceil((megabytes * megabyte * 4) / 3) + 4);
  return {
    messages: [{ role: 'user', content: [{ text: 'Hi' }, { [kind]: { ...more, source: { bytes } } }] }],
  };
}

/** Returns the images and documents in messages and in results. */
function filesOf(body: JsonObject): readonly JsonObject[] {
  const blocks = messagesOf(body).flatMap(blocksOf);
  return [...blocks, ...blocks.flatMap((block) => objectsOf(inside(block, 'toolResult', 'content')))];
}

function nameIn(document: JsonValue): string {
  return stringOf(inside(document, 'name'));
}

/** Returns the size of a file that is given as base64, in bytes. */
function bytesIn(file: JsonValue | undefined): number {
  return (stringOf(inside(file, 'source', 'bytes')).length * 3) / 4;
}

function messagesOf(body: JsonObject): readonly JsonObject[] {
  return objectsOf(body['messages']);
}

function blocksOf(message: JsonObject): readonly JsonObject[] {
  return objectsOf(message['content']);
}

function idsOf(message: JsonObject | undefined, kind: 'toolUse' | 'toolResult'): readonly unknown[] {
  return objectsOf(inside(message, 'content')).flatMap((block) => {
    const id = inside(block, kind, 'toolUseId');
    return id === undefined ? [] : [id];
  });
}
