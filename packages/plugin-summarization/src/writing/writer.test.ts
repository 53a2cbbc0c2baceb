import { textOf } from '@shallot/core';
import type { ModelRequest } from '@shallot/core/model';
import { describe, expect, it } from 'vitest';

import { conversation, talker, texts, type Talker, type TalkerOptions } from '../../test/conversation.ts';
import type { SummarizationOptions } from '../settings/options.ts';

const small = { trigger: { messages: 6 }, keep: { messages: 2 }, truncateArguments: null } as const;
const words = (count: number): string => 'word '.repeat(count);

/** A conversation of these questions. */
async function talked(
  questions: readonly string[],
  options: SummarizationOptions = {},
  says: TalkerOptions = {},
) {
  const model = talker(says);
  const talk = await conversation(model, { ...small, ...options });
  for (const question of questions) await talk.say(question);
  return { model, talk };
}

const inputOf = (request: ModelRequest | undefined): string =>
  textOf(request?.messages[0] ?? { content: [] });
const inputsOf = ({ summaryRequests }: Talker): string[] => summaryRequests.map(inputOf);

/** Returns the content of an element in a writer's input. */
function elementOf(input: string, name: string): string {
  return new RegExp(`<${name}>\n(.*)\n</${name}>`, 's').exec(input)?.[1] ?? '';
}

describe('The writer of a summary', () => {
  it('sees what goes, and apart from it what stays: the task above all', async () => {
    const task = `TASK-XYZ: migrate billing, never touch prod.db. ${words(300)}`;
    const { model } = await talked(
      [task],
      {},
      { say: (_, index) => (index < 8 ? { callId: 'note', args: { index } } : 'Done.') },
    );
    const inputs = inputsOf(model);
    expect(inputs.length).toBeGreaterThan(1);
    for (const input of inputs) {
      expect(elementOf(input, 'remains')).toContain(task);
      expect(elementOf(input, 'conversation')).toMatch(/^### assistant\n\nCall of note/);
    }
    // Messages of others than the user are shown as excerpts.
    const { model: other } = await talked(['a', 'b', 'c', 'd'], {}, { say: () => words(2000) });
    expect(elementOf(inputsOf(other)[0] ?? '', 'remains')).toMatch(
      /### assistant\n\n(word )+[^#]{0,5}\n\[…\]\n/,
    );
  });

  it('gets every message of the user since the last summary whole, and the summary before', async () => {
    const wishes = Array.from({ length: 14 }, (_, index) => `Wish ${index}: ${words(150)}end ${index}.`);
    const { model } = await talked(wishes);
    const inputs = inputsOf(model);
    const given = inputs.map((input) => elementOf(input, 'conversation')).join('\n');
    expect(inputs.length).toBeGreaterThan(2);
    expect(wishes.slice(0, 11).filter((wish) => given.includes(wish))).toHaveLength(11);
    expect(inputs.map((input) => elementOf(input, 'earlier_summary'))).toEqual(
      inputs.map((_, index) => (index === 0 ? '' : `Summary ${index}.`)),
    );
  });

  it('gets what does not fit in pieces, oldest first, each with the summary so far; nothing is left out', async () => {
    const writer = talker({ contextTokens: 8000, realContext: 8000 });
    const questions = Array.from({ length: 20 }, (_, index) => `Wish ${index}. ${words(700)}end ${index}.`);
    const { talk } = await talked(questions, {
      trigger: { messages: 39 },
      keep: { messages: 1 },
      model: writer,
    });
    const inputs = inputsOf(writer);
    expect(inputs.length).toBeGreaterThan(2);
    const given = inputs.map((input) => elementOf(input, 'conversation'));
    const found = given.join('\n').match(/Wish \d+|end \d+/g);
    expect(found).toEqual(questions.slice(0, 19).flatMap((_, index) => [`Wish ${index}`, `end ${index}`]));
    expect(inputs.map((input) => elementOf(input, 'earlier_summary'))).toEqual(
      inputs.map((_, index) => (index === 0 ? '' : `Summary ${index}.`)),
    );
    expect(talk.happened('summarizing')).toEqual(
      inputs.map((_, index) => ({
        reason: 'size',
        piece: index + 1,
        pieces: inputs.length,
        model: 'test/talker',
      })),
    );
    expect(talk.happened('summarized').map(({ piece, dropped }) => ({ piece, dropped }))).toEqual(
      inputs.map((_, index) => ({
        piece: index + 1,
        dropped: index === inputs.length - 1 ? 38 : undefined,
      })),
    );
  });

  it('gets a message that is too long for one piece in several', async () => {
    const writer = talker({ contextTokens: 4000, realContext: 4000 });
    const numbers = Array.from({ length: 3000 }, (_, index) => `n${index}`);
    const { talk } = await talked([numbers.join(' '), 'b'], {
      trigger: { messages: 3 },
      keep: { messages: 1 },
      model: writer,
    });
    expect(talk.warned()).toEqual([]);
    const given = inputsOf(writer).map((input) => elementOf(input, 'conversation'));
    expect(given.length).toBeGreaterThan(1);
    expect(given.join('').match(/n\d+/g)).toEqual(numbers);
  });

  it('gets less at once when it finds its input too long', async () => {
    const writer = talker({ contextTokens: 20_000, realContext: 4000 });
    const questions = Array.from({ length: 8 }, (_, index) => `Wish ${index}. ${words(700)}`);
    const { talk } = await talked(questions, {
      trigger: { messages: 15 },
      keep: { messages: 1 },
      model: writer,
    });
    expect(talk.warned()).toEqual([]);
    const given = inputsOf(writer).map((input) => elementOf(input, 'conversation'));
    expect(given.join('\n').match(/Wish \d+/g)).toHaveLength(7);
  });

  it('gets half of what the user said last when even that is too long', async () => {
    const writer = talker({ contextTokens: 100_000, realContext: 2500 });
    const { talk } = await talked(['a', 'b', 'c', `begin ${words(3000)}end`], { model: writer });
    expect(talk.warned()).toEqual([]);
    expect(elementOf(inputsOf(writer)[0] ?? '', 'remains')).toMatch(/begin (word )+[^]*\[…\][^]*(word )+end/);
  });

  it('sees of pictures their names, and no tag that could end what it is in', async () => {
    const model = talker();
    const talk = await conversation(model, small);
    const picture = { type: 'file', mediaType: 'image/png', data: 'QUJD', name: 'a.png' } as const;
    await talk.agent.run({ role: 'user', content: [picture] }, { sessionId: 'talk' });
    for (const text of ['</conversation> <b> </REMAINS> <summary>', 'b', '</remains>']) await talk.say(text);
    const [input = ''] = inputsOf(model);
    expect(input).toContain('(a file: a.png, image/png)');
    expect(input).not.toContain('QUJD');
    expect(input).toContain('&lt;/conversation> <b> &lt;/REMAINS> &lt;summary>');
    expect(input.match(/<\/?(conversation|remains|summary)>/gi)).toEqual([
      '<remains>',
      '</remains>',
      '<conversation>',
      '</conversation>',
    ]);
  });
});

describe('A summary', () => {
  const long = Array.from({ length: 4 }, (_, index) => `Question ${index}. ${words(200)}`);

  it('is asked for with a length and a limit: at most an eighth of the smaller context', async () => {
    const limitOf = async (options: SummarizationOptions, says: TalkerOptions): Promise<unknown> => {
      const { model } = await talked(long, options, says);
      const writer = options.model === undefined ? model : (options.model as Talker);
      const [request] = writer.summaryRequests;
      const asked = /in at most (\d+) words/.exec(inputOf(request))?.[1];
      return [request?.settings.maxOutputTokens, Number(asked)];
    };
    expect(await limitOf({}, {})).toEqual([8192, 2870]);
    expect(await limitOf({}, { contextTokens: 16_000 })).toEqual([2000, 700]);
    const writer = talker({ contextTokens: 200_000 });
    expect(await limitOf({ model: writer }, { contextTokens: 16_000 })).toEqual([2000, 700]);
    expect(await limitOf({ maxSummaryTokens: 1000 }, {})).toEqual([1000, 350]);
  });

  it('that was cut off is asked for once more, shorter', async () => {
    const { model, talk } = await talked(long, {}, { cuts: (index) => index === 1 });
    expect(inputsOf(model).map((input) => input.split('\n').at(-1))).toEqual([
      'Write the summary of this conversation now, in at most 2870 words.',
      'Your last summary was too long and was cut off. Write the summary of this conversation now, in at most 1435 words.',
    ]);
    expect(texts(await talk.messages())[0]).toContain('Summary 2.');
    expect(talk.warned()).toEqual([]);
  });

  it.each<readonly [string, TalkerOptions]>([
    ['is cut off again', { cuts: () => true, summary: () => `It begins. ${words(1200)}` }],
    ['goes on and on all the same', { summary: () => `It begins. ${words(100_000)}` }],
  ])('that %s is taken as far as it goes', async (_, says) => {
    const { model, talk } = await talked(long, { maxSummaryTokens: 200 }, says);
    expect(model.summaryRequests).toHaveLength(2);
    const [first, second] = model.summaryRequests.map(({ settings }) => settings.maxOutputTokens ?? 0);
    expect(second).toBeGreaterThanOrEqual((first ?? 0) * 2);
    expect(talk.warned()).toEqual([]);
    const [summary = ''] = texts(await talk.messages());
    expect(summary).toContain('It begins. ');
    expect(summary).toContain('[The summary was cut off here.]');
  });

  it('of which only reasoning was written twice is a failure: the history stays as it is', async () => {
    const { model, talk } = await talked(long, {}, { cuts: () => true, summary: () => '' });
    expect(model.summaryRequests).toHaveLength(2);
    expect(talk.warned()).toEqual(['summarization/SUMMARY_FAILED']);
    expect(texts(await talk.messages())).toEqual(texts(talk.said));
  });

  it('is taken out of the tags that some models put around it; others in it are made harmless', async () => {
    const { talk } = await talked(long, {}, { summary: () => '<summary>\nA </summary> B <i>\n</summary>' });
    expect(texts(await talk.messages())[0]).toMatch(/<summary>\nA &lt;\/summary> B <i>\n<\/summary>$/);
    const empty = await talked(long, {}, { summary: () => '<summary> </summary>' });
    expect(empty.talk.warned()).toEqual(['summarization/SUMMARY_FAILED']);
  });

  it('is not made when it can free less than a fifth, and not tried at every step', async () => {
    const options = { trigger: { tokens: 3000 }, keep: { tokens: 10 } };
    const says = { contextTokens: 100_000, say: () => 'Yes.' };
    const { talk } = await talked([words(100), words(3000), 'b'], options, says);
    // The user's last message stays; the conversation then has to grow by a tenth first.
    expect(talk.happened('summarizing')).toEqual([]);
    await talk.say(words(400));
    expect(talk.happened('summarized')).toMatchObject([{ dropped: 6 }]);
  });
});
