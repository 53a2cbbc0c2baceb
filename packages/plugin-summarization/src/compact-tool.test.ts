import { textOf } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { toolCallsOf } from '@shallot/core/plugin';
import { describe, expect, it } from 'vitest';

import { conversation, talker, texts, type TalkerOptions } from '../test/conversation.ts';
import type { SummarizationOptions } from './settings/options.ts';

const call = (args = {}) => ({ callId: 'compact_conversation', args });

/** A conversation whose model asks to condense it in its answer to the last of so many questions. */
async function compacted(
  exchanges: number,
  says: TalkerOptions = {},
  options: SummarizationOptions = {},
  args = {},
) {
  const model = talker({
    say: (_, index) => (index === exchanges - 1 ? call(args) : `Answer ${index}. ${'word '.repeat(60)}`),
    ...says,
  });
  const talk = await conversation(model, {
    trigger: { messages: 100 },
    keep: { messages: 2 },
    compactTool: true,
    ...options,
  });
  for (let exchange = 1; exchange <= exchanges; exchange += 1) await talk.say(`Question ${exchange}.`);
  return { model, talk, result: texts(model.requests.at(-1)?.messages ?? []).at(-1) };
}

describe('The tool compact_conversation', () => {
  it('condenses before the next step, and says what was done', async () => {
    const { model, talk, result } = await compacted(4);
    expect(talk.happened('summarized')).toMatchObject([{ reason: 'requested', dropped: 6 }]);
    expect(model.requests.at(-1)?.messages.map(({ source, role }) => source ?? role)).toEqual([
      'summarization',
      'user',
      'assistant',
      'tool',
    ]);
    expect(result).toBe(
      'tool: 6 earlier messages were replaced by a summary of about 4 tokens. All of them, word for word, are in the file /conversation_history/talk.md.',
    );
  });

  it('hands its focus on to the writer', async () => {
    const { model } = await compacted(4, {}, {}, { focus: 'the name of the dog' });
    const input = textOf(model.summaryRequests[0]?.messages[0] ?? { content: [] });
    expect(input).toMatch(/Keep above all what has to do with this: the name of the dog$/);
  });

  it.each<readonly [string, number, TalkerOptions, SummarizationOptions, string]>([
    ['there is nothing old', 1, {}, {}, 'there is nothing old enough'],
    ['little is old', 3, {}, { keep: { messages: 6 } }, 'what is old takes less than a fifth'],
    ['the summary fails', 4, { summary: () => '' }, {}, 'the summary failed: The model test/talker returned'],
  ])('says so when nothing is condensed: %s', async (_, exchanges, says, options, said) => {
    const { talk, result } = await compacted(exchanges, says, options);
    expect(talk.happened('summarized')).toEqual([]);
    expect(result).toContain(`tool: Nothing was condensed: ${said}`);
  });

  it('says the same for several calls in one step', async () => {
    const model = talker({ say: (_, index) => (index === 0 ? call() : 'Done.') });
    const twice: ChatModel = {
      ...model,
      async generate(...args) {
        const response = await model.generate(...args);
        const { message } = response;
        const more = toolCallsOf({ id: 'm', role: 'assistant', content: message.content }).map(
          ({ type, name, input }) => ({ type, name, input, id: 'other' }),
        );
        return { ...response, message: { ...message, content: [...message.content, ...more] } };
      },
    };
    const talk = await conversation(twice, { trigger: { messages: 100 }, compactTool: true });
    await talk.say('Hello.');
    const results = texts(model.requests.at(-1)?.messages ?? []).filter((text) => text.startsWith('tool: '));
    expect(results).toHaveLength(2);
    expect(results.every((text) => text.includes('Nothing was condensed'))).toBe(true);
  });

  it('is not there unless it was asked for', async () => {
    const { model } = await compacted(1, { say: () => 'Hello.' }, { compactTool: false });
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['note', 'write_file']);
  });
});
