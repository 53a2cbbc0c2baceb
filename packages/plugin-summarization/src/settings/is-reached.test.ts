import { createAgent } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { conversation, talker } from '../../test/conversation.ts';
import { summarization } from '../summarization.ts';
import { sizesFor, summarizationOptions, type SummarizationOptions } from './options.ts';

/** Counts the short exchanges until a summary is made. */
async function exchangesUntilSummary(
  options: SummarizationOptions,
  contextTokens?: number,
  text = 'word '.repeat(100),
): Promise<number> {
  const model = talker(contextTokens === undefined ? {} : { contextTokens });
  const talk = await conversation(model, { truncateArguments: null, ...options });
  for (let exchange = 1; exchange <= 30; exchange += 1) {
    await talk.say(text);
    if (talk.happened('summarized').length > 0) return exchange;
  }
  return Number.POSITIVE_INFINITY;
}

describe('The size that triggers a summary', () => {
  it('is a number of messages', async () => {
    expect(await exchangesUntilSummary({ trigger: { messages: 9 } })).toBe(5);
  });

  it('is a number of tokens', async () => {
    // About 120 tokens an exchange.
    expect(await exchangesUntilSummary({ trigger: { tokens: 1000 }, keep: { messages: 2 } })).toBe(9);
  });

  it("is a part of the model's context", async () => {
    const options = { trigger: { fraction: 0.5 }, keep: { messages: 2 } } as const;
    expect(await exchangesUntilSummary(options, 2000)).toBe(9);
    expect(await exchangesUntilSummary(options, 1000)).toBe(5);
  });

  it('is any of several', async () => {
    const trigger = [{ tokens: 1000 }, { messages: 5 }];
    expect(await exchangesUntilSummary({ trigger, keep: { messages: 2 } })).toBe(3);
    expect(await exchangesUntilSummary({ trigger: trigger.toReversed(), keep: { messages: 2 } })).toBe(3);
  });

  it('is 85 percent of a context that is known, and 170,000 tokens of one that is not', async () => {
    expect(await exchangesUntilSummary({}, 1000)).toBe(7);
    const long = 'word '.repeat(20_000);
    expect(await exchangesUntilSummary({}, undefined, long)).toBe(9);
  });
});

describe('What is kept', () => {
  async function keptOf(options: SummarizationOptions, contextTokens?: number): Promise<number> {
    const model = talker(contextTokens === undefined ? {} : { contextTokens });
    const talk = await conversation(model, {
      trigger: { messages: 21 },
      truncateArguments: null,
      ...options,
    });
    for (let exchange = 1; exchange <= 11; exchange += 1) await talk.say('word '.repeat(46));
    return Number(talk.happened('summarized').find(({ kept }) => kept !== undefined)?.['kept']);
  }

  it.each<readonly [string, SummarizationOptions, number | undefined, number]>([
    ['a number of messages', { keep: { messages: 4 } }, undefined, 4],
    // The messages take 50 and about 8 tokens in turn.
    ['a number of tokens', { keep: { tokens: 170 } }, undefined, 5],
    ["a part of the model's context", { keep: { fraction: 0.17 } }, 1000, 5],
    ['by default 6 messages', {}, undefined, 6],
    ['by default 10 percent of a known context', {}, 1000, 2],
    ['by default no more than half of a trigger of messages', {}, 100_000, 10],
    ['by default no more than half of a trigger of tokens', { trigger: { tokens: 400 } }, 100_000, 6],
    [
      'by default no more than half of any trigger',
      { trigger: [{ messages: 7 }, { tokens: 1000 }] },
      100_000,
      3,
    ],
  ])('is %s', async (_, options, contextTokens, expected) => {
    expect(await keptOf(options, contextTokens)).toBe(expected);
  });

  it('is the last message, however long it is', async () => {
    const model = talker();
    const talk = await conversation(model, { trigger: { tokens: 500 }, keep: { tokens: 10 } });
    await talk.say('Hello. '.repeat(100));
    await talk.say('word '.repeat(400));
    expect(talk.happened('summarized')).toMatchObject([{ dropped: 2, kept: 1 }]);
  });
});

describe('Options that are not given', () => {
  it('depend on whether the context is known', async () => {
    expect(summarization.definition.priority).toBe(50);
    const settings = await summarizationOptions['~standard'].validate({});
    if (settings.issues !== undefined) throw new Error('they are refused');
    expect(settings.value).toMatchObject({
      truncateArguments: {
        maxLength: 2000,
        text: '...(argument truncated)',
        tools: ['write_file', 'edit_file'],
      },
      historyDirectory: '/conversation_history',
      onFailure: 'keep',
      compactTool: false,
    });
    const [trigger, keep] = [{ fraction: 0.85 }, [{ fraction: 0.1 }]];
    expect(sizesFor(settings.value, 200_000)).toEqual({
      contextTokens: 200_000,
      trigger: [trigger],
      keep,
      truncation: { trigger, keep },
    });
    expect(sizesFor(settings.value, undefined)).toEqual({
      contextTokens: undefined,
      trigger: [{ tokens: 170_000 }],
      keep: [{ messages: 6 }],
      truncation: { trigger: { messages: 20 }, keep: [{ messages: 20 }] },
    });
  });
});

describe('Options that make no sense', () => {
  const start = (options: unknown) =>
    createAgent({ model: scriptedModel([]), plugins: [summarization(options as SummarizationOptions)] });

  it.each<readonly [string, SummarizationOptions]>([
    ['trigger', { trigger: { fraction: 0.5 } }],
    ['one of several triggers', { trigger: [{ messages: 5 }, { fraction: 0.5 }] }],
    ['keep', { keep: { fraction: 0.5 } }],
    ['truncation', { truncateArguments: { keep: { fraction: 0.5 } } }],
    ['trigger of truncation', { truncateArguments: { trigger: { fraction: 0.5 } } }],
  ])('are refused at the start: a fraction as %s, of a context that nobody knows', async (_, options) => {
    await expect(start(options)).rejects.toMatchObject({
      code: 'summarization/CONTEXT_UNKNOWN',
      message: expect.stringContaining('test/scripted') as string,
    });
  });

  it.each<readonly [SummarizationOptions, number | undefined]>([
    [{ trigger: { messages: 5 }, keep: { messages: 5 } }, undefined],
    [{ trigger: [{ messages: 500 }, { tokens: 500 }], keep: { tokens: 600 } }, undefined],
    [{ trigger: { fraction: 0.2 }, keep: { fraction: 0.3 } }, 1000],
    [{ trigger: { tokens: 250 }, keep: { fraction: 0.3 } }, 1000],
  ])('are refused at the start: to keep all that triggers a summary, %j', async (options, contextTokens) => {
    const model = talker(contextTokens === undefined ? {} : { contextTokens });
    await expect(createAgent({ model, plugins: [summarization(options)] })).rejects.toMatchObject({
      code: 'summarization/KEEP_TOO_LARGE',
      message: expect.stringContaining('Make keep smaller') as string,
    });
  });

  it('are not those that cannot be compared', async () => {
    await using agent = await start({ trigger: { messages: 3 }, keep: { tokens: 5000 } });
    expect(agent.plugins).toHaveLength(1);
  });

  it.each<readonly [unknown, string]>([
    [{ trigger: { messages: 5, tokens: 5 } }, 'trigger: set exactly one of messages, tokens and fraction'],
    [{ trigger: {} }, 'trigger: set exactly one'],
    [
      { trigger: [] },
      'trigger: it is []; write an object with messages, tokens, fraction, or a list of at least 1',
    ],
    [{ keep: { fraction: 1.5 } }, 'keep.fraction: it is 1.5; write a number above 0 and at most 1'],
    [{ keep: { mesages: 5 } }, 'did you mean "messages"?'],
    [{ historyDirectory: 'history' }, 'historyDirectory: it is "history"; write null, or an absolute path'],
    [{ message: 'Condensed.' }, 'write a string that contains {summary}'],
    [{ model: 5 }, 'model: it is 5; write a model, as in `model` of a config, or in code a ChatModel'],
    [{ truncateArguments: { maxLength: 5 } }, 'truncateArguments.maxLength: it is 5'],
  ])('are refused at the start: %j', async (options, said) => {
    await expect(start(options)).rejects.toMatchObject({
      code: 'PLUGIN_OPTIONS',
      message: expect.stringContaining(said) as string,
    });
  });

  it('cannot name a model where there is no config file', async () => {
    await expect(start({ model: 'openai/gpt-5' })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      plugin: 'summarization',
      message: expect.stringContaining('Give summarization the ChatModel itself') as string,
    });
  });
});
