import type { Message } from '@shallot/core';
import { toolCallsOf } from '@shallot/core/plugin';
import { describe, expect, it } from 'vitest';

import { conversation, talker } from '../../test/conversation.ts';
import type { SummarizationOptions } from '../settings/options.ts';
import { truncateArguments } from './truncate-arguments.ts';

const rules = { maxLength: 50, text: '…cut', tools: ['write_file'] };
const long = 'x'.repeat(51);
const cut = `${'x'.repeat(20)}…cut`;

function call(name: string, input: object, id = 'c'): Message {
  // It is JSON by construction.
  return {
    id: `m-${id}`,
    role: 'assistant',
    content: [{ type: 'tool-call', id, name, input: input as Record<string, string> }],
  };
}

describe('Truncating arguments', () => {
  it('cuts strings that are too long, at any depth, and nothing else', () => {
    const messages = [
      call('write_file', {
        path: '/a',
        content: long,
        more: [{ deep: long }, 5, null],
        short: 'x'.repeat(50),
      }),
    ];
    expect(truncateArguments(messages, 0, 1, rules)).toEqual({
      messages: [
        call('write_file', {
          path: '/a',
          content: cut,
          more: [{ deep: cut }, 5, null],
          short: 'x'.repeat(50),
        }),
      ],
      changed: 1,
    });
  });

  it('leaves the calls of other tools, the rest of the history, and messages of others', () => {
    const messages: Message[] = [
      call('write_file', { content: long }, 'before'),
      call('search', { query: long }),
      { id: 'u', role: 'user', content: [{ type: 'text', text: long }] },
      { id: 't', role: 'tool', callId: 'c', name: 'write_file', content: [{ type: 'text', text: long }] },
      call('write_file', { content: long }, 'after'),
    ];
    const given = structuredClone(messages);
    expect(truncateArguments(messages, 1, 4, rules)).toEqual({ messages, changed: 0 });
    expect(messages).toEqual(given);
  });

  it('makes copies: what it was given stays as it is', () => {
    const message = call('write_file', { content: long });
    const { messages } = truncateArguments([message], 0, 1, rules);
    expect(messages[0]).not.toBe(message);
    expect(message).toEqual(call('write_file', { content: long }));
  });
});

/** A conversation in which the model writes a large file with each exchange. */
async function writing(exchanges: number, options: SummarizationOptions, contextTokens?: number) {
  const model = talker({
    ...(contextTokens === undefined ? {} : { contextTokens }),
    say: ({ messages }, index) =>
      messages.at(-1)?.role === 'user'
        ? { callId: 'write_file', args: { path: `/${index}`, content: `${index} ${'word '.repeat(500)}` } }
        : 'Written.',
  });
  const talk = await conversation(model, options);
  for (let exchange = 1; exchange <= exchanges; exchange += 1) await talk.say(`Write file ${exchange}.`);
  return { model, talk };
}

function contentsOf(messages: readonly Message[]): string[] {
  return messages.flatMap(toolCallsOf).map(({ input }) => (input as { content: string }).content);
}

describe('Long arguments in a conversation', () => {
  it('are cut before the kept part when the trigger is reached; when that is enough, no summary is made', async () => {
    const { model, talk } = await writing(5, { truncateArguments: { keep: { messages: 5 } } }, 2700);
    expect(talk.happened('summarized')).toEqual([]);
    expect(model.summaryRequests).toEqual([]);
    expect(talk.happened('truncated')[0]).toMatchObject({
      messages: 4,
      path: '/conversation_history/talk.md',
    });
    const contents = contentsOf(model.requests.at(-1)?.messages ?? []);
    expect(contents.map((content) => content.length)).toEqual([43, 43, 43, 43, 2502]);
    expect(contents[0]).toBe('0 word word word wor...(argument truncated)');
  });

  it('are kept whole in the file, once, before they are cut', async () => {
    const { talk } = await writing(8, { truncateArguments: { keep: { messages: 5 } } }, 2700);
    const sections = await talk.history();
    expect(sections.every(({ title }) => title.startsWith('Truncated at '))).toBe(true);
    const written = sections.flatMap(({ messages }) => messages);
    const messages = await talk.messages();
    expect(written.map(({ id }) => id)).toEqual(messages.slice(0, written.length).map(({ id }) => id));
    const files = written.filter(({ text }) => text.includes('Call of write_file'));
    expect(files.every(({ text }) => text.includes('word '.repeat(500)))).toBe(true);
  });

  it('are cut at 20 messages when the context is unknown, in what is older than the last 20', async () => {
    const { talk } = await writing(7, {});
    const lengths = contentsOf(await talk.messages()).map((content) => content.length);
    // 28 messages: the last request was made when there were 27, and 7 of them were old.
    expect(lengths.map((length) => length < 100)).toEqual([true, true, false, false, false, false, false]);
  });

  it('are left when truncation is off', async () => {
    const { talk } = await writing(7, { truncateArguments: null });
    expect(contentsOf(await talk.messages()).every((content) => content.length > 2000)).toBe(true);
    expect(talk.happened('truncated')).toEqual([]);
  });

  it('are left when they cannot be kept in the file', async () => {
    const { talk } = await writing(7, {}, undefined);
    const broken = talker({
      say: ({ messages }) =>
        messages.at(-1)?.role === 'user'
          ? { callId: 'write_file', args: { content: 'word '.repeat(500) } }
          : 'Written.',
    });
    const failing = await conversation(
      broken,
      {},
      {
        files: { ...talk.files, append: () => Promise.reject(new Error('the disk is full')) },
      },
    );
    for (let exchange = 1; exchange <= 7; exchange += 1) await failing.say('Write.');
    expect(contentsOf(await failing.messages()).every((content) => content.length > 2000)).toBe(true);
    // At 20 messages, and when it has grown by 10 percent.
    expect(failing.warned()).toEqual(['summarization/OFFLOAD_FAILED', 'summarization/OFFLOAD_FAILED']);
  });
});
