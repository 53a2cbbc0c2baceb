import type { JsonObject } from '@shallot/core';

import { anthropicSizeRules } from './size-rules.ts';
import { areSame, inside, isBlank, objectsOf, stringOf, type VendorRule } from './vendor-rule.ts';

const docs = 'https://platform.claude.com/docs/en';
const thinkingPage = `${docs}/build-with-claude/thinking-tool-workflows`;
const toolPage = `${docs}/agents-and-tools/tool-use/implement-tool-use`;

const user: JsonObject = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const call: JsonObject = { type: 'tool_use', id: 'c1', name: 'look', input: {} };
const result: JsonObject = { type: 'tool_result', tool_use_id: 'c1', content: 'calm' };
const thinking: JsonObject = { type: 'enabled', budget_tokens: 1024 };

const thought: JsonObject = { type: 'thinking', thinking: 'Hm.', signature: 's' };

/** The rules of Anthropic's Messages API. */
export const anthropicRules: readonly VendorRule[] = [
  {
    message: 'messages: text content blocks must contain non-whitespace text',
    source: 'https://github.com/anthropics/claude-code/issues/23440',
    isBroken: (body) =>
      [...objectsOf(body['system']), ...messagesOf(body).flatMap(blocksOf).flatMap(withInner)].some(
        ({ type, text }) => type === 'text' && isBlank(text),
      ),
    example: { messages: [{ role: 'user', content: [{ type: 'text', text: '\n' }] }] },
  },
  {
    message:
      'messages: all messages must have non-empty content except for the optional final assistant message',
    source: 'https://github.com/anthropics/claude-code/issues/6774',
    isBroken: (body) =>
      messagesOf(body).length === 0 || messagesOf(body).some((each) => blocksOf(each).length === 0),
    example: { messages: [{ role: 'user', content: [] }] },
  },
  {
    message: 'messages: first message must use the "user" role',
    source: 'https://github.com/lobehub/lobehub/issues/1601',
    isBroken: (body) => messagesOf(body)[0]?.['role'] === 'assistant',
    example: { messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Hi' }] }, user] },
  },
  {
    message:
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    source: 'https://github.com/smallmain/vscode-unify-chat-provider/issues/249',
    isBroken: (body) => {
      const last = messagesOf(body).at(-1);
      // A turn that the server paused is an exception: it is sent back unchanged, to be continued.
      return last?.['role'] === 'assistant' && !blocksOf(last).some(({ type }) => type === 'server_tool_use');
    },
    example: { messages: [user, { role: 'assistant', content: [{ type: 'text', text: 'I' }] }] },
  },
  {
    message:
      '`tool_use` ids were found without `tool_result` blocks immediately after. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    source: toolPage,
    isBroken: (body) =>
      messagesOf(body).some((each, index, all) => {
        const called = idsOf(each, 'tool_use', 'id');
        return called.length > 0 && !areSame(called, idsOf(all[index + 1], 'tool_result', 'tool_use_id'));
      }),
    example: { messages: [user, { role: 'assistant', content: [call] }, user] },
  },
  {
    message:
      'unexpected `tool_use_id` found in `tool_result` blocks. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    source: toolPage,
    isBroken: (body) =>
      messagesOf(body).some((each, index, all) => {
        const answered = idsOf(each, 'tool_result', 'tool_use_id');
        return answered.length > 0 && !areSame(answered, idsOf(all[index - 1], 'tool_use', 'id'));
      }),
    example: { messages: [{ role: 'user', content: [result] }] },
  },
  {
    message: '`tool_result` blocks must come first in the content of a message',
    source: toolPage,
    isBroken: (body) =>
      messagesOf(body).some((each) => {
        const isResult = blocksOf(each).map(({ type }) => type === 'tool_result');
        return isResult.lastIndexOf(true) > isResult.indexOf(false) && isResult.includes(false);
      }),
    example: {
      messages: [
        user,
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ type: 'text', text: 'Here:' }, result] },
      ],
    },
  },
  {
    message:
      'Expected `thinking` or `redacted_thinking`, but found another block. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
    source: 'https://github.com/anomalyco/opencode/issues/3077',
    isBroken: (body) => isThinking(body) && !startsWithThought(stepsOfTurn(body)[0]),
    example: {
      thinking,
      messages: [user, { role: 'assistant', content: [call] }, { role: 'user', content: [result] }],
    },
  },
  {
    message:
      'When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.',
    source: 'https://github.com/tailcallhq/forgecode/issues/1853',
    isBroken: (body) =>
      inside(body['thinking'], 'type') === 'disabled' &&
      stepsOfTurn(body)
        .flatMap(blocksOf)
        .some(({ type }) => type === 'thinking'),
    example: {
      thinking: { type: 'disabled' },
      messages: [user, { role: 'assistant', content: [thought, call] }, { role: 'user', content: [result] }],
    },
  },
  {
    message: 'The final block in an assistant message cannot be `thinking`.',
    source: 'https://github.com/tailcallhq/forgecode/issues/2107',
    isBroken: (body) =>
      messagesOf(body).some(
        (each) =>
          each['role'] === 'assistant' && stringOf(blocksOf(each).at(-1)?.['type']).endsWith('thinking'),
      ),
    example: { messages: [user, { role: 'assistant', content: [thought] }, user] },
  },
  {
    message: 'messages: thinking.signature: Field required',
    source:
      'https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/types/thinking_block.py',
    isBroken: (body) =>
      messagesOf(body)
        .flatMap(blocksOf)
        .some(({ type, signature }) => type === 'thinking' && typeof signature !== 'string'),
    example: {
      messages: [
        user,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'text', text: 'Hi' },
          ],
        },
        user,
      ],
    },
  },
  {
    message: 'Thinking may not be enabled when tool_choice forces tool use.',
    source: thinkingPage,
    isBroken: (body) =>
      isThinking(body) && ['any', 'tool'].includes(stringOf(inside(body['tool_choice'], 'type'))),
    example: { thinking, tool_choice: { type: 'any' }, messages: [user] },
  },
  {
    message: '`max_tokens` must be greater than `thinking.budget_tokens`.',
    source: `${docs}/build-with-claude/extended-thinking`,
    isBroken: (body) =>
      isThinking(body) && Number(inside(body['thinking'], 'budget_tokens')) >= Number(body['max_tokens']),
    example: { thinking, max_tokens: 100, messages: [user] },
  },
  {
    message: 'A maximum of 4 blocks with cache_control may be provided.',
    source: `${docs}/build-with-claude/prompt-caching`,
    isBroken: (body) => JSON.stringify(body).split('"cache_control":{').length - 1 > 4,
    example: {
      messages: [
        {
          role: 'user',
          content: ['a', 'b', 'c', 'd', 'e'].map((text) => ({
            type: 'text',
            text,
            cache_control: { type: 'ephemeral' },
          })),
        },
      ],
    },
  },
  {
    message: "tools: name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
    source: toolPage,
    isBroken: (body) =>
      [
        ...objectsOf(body['tools']),
        ...messagesOf(body)
          .flatMap(blocksOf)
          .filter(({ type }) => type === 'tool_use'),
      ].some(({ name }) => !/^[\w-]{1,64}$/.test(stringOf(name))),
    example: { tools: [{ name: 'look it up!' }], messages: [user] },
  },
  {
    message: "messages: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    source: 'https://github.com/vercel/ai/issues/5171',
    isBroken: (body) =>
      messagesOf(body)
        .flatMap((each) => idsOf(each, 'tool_use', 'id'))
        .some((id) => !/^[\w-]+$/.test(stringOf(id))),
    example: {
      messages: [
        user,
        { role: 'assistant', content: [{ ...call, id: 'a:1' }] },
        { role: 'user', content: [{ ...result, tool_use_id: 'a:1' }] },
      ],
    },
  },
  ...anthropicSizeRules,
];

/** Anthropic's API joins adjacent messages of one role. */
function messagesOf(body: JsonObject): readonly JsonObject[] {
  const joined: JsonObject[] = [];
  for (const message of objectsOf(body['messages'])) {
    const before = joined.at(-1);
    if (before === undefined || before['role'] !== message['role']) joined.push(message);
    else joined[joined.length - 1] = { ...before, content: [...blocksOf(before), ...blocksOf(message)] };
  }
  return joined;
}

function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
}

function withInner(block: JsonObject): readonly JsonObject[] {
  return [block, ...objectsOf(block['content'])];
}

function idsOf(message: JsonObject | undefined, type: string, key: string): readonly unknown[] {
  if (message === undefined) return [];
  return blocksOf(message).flatMap((block) => (block['type'] === type ? [block[key]] : []));
}

function isThinking(body: JsonObject): boolean {
  return inside(body['thinking'], 'type') === 'enabled';
}

/** Returns the assistant's messages since the user's last one, if the results of its tools come last. */
function stepsOfTurn(body: JsonObject): readonly JsonObject[] {
  const messages = messagesOf(body);
  const isResult = (each: JsonObject | undefined): boolean =>
    idsOf(each, 'tool_result', 'tool_use_id').length > 0;
  if (!isResult(messages.at(-1))) return [];
  const start = messages.findLastIndex((each) => each['role'] === 'user' && !isResult(each));
  return messages.slice(start + 1).filter(({ role }) => role === 'assistant');
}

function startsWithThought(message: JsonObject | undefined): boolean {
  if (message === undefined) return true;
  return /^(?:redacted_)?thinking$/.test(stringOf(blocksOf(message)[0]?.['type']));
}
