import { definePlugin, textOf } from '@shallot/core';
import type { ChatModel } from '@shallot/core/model';
import { describe, expect, it } from 'vitest';

import { conversation, talker, texts } from '../test/conversation.ts';
import type { SummarizationOptions } from './settings/options.ts';

const long = (exchange: number): string => `${exchange} ${'word '.repeat(100)}`;

describe('A request that the model finds too long', () => {
  it('is condensed and sent once more; the new history is kept with the answer', async () => {
    // Nothing is known of the context, and nothing is due.
    const model = talker({ realContext: 1000 });
    const talk = await conversation(model, { keep: { messages: 2 } });
    for (let exchange = 1; exchange <= 20; exchange += 1) await talk.say(long(exchange));
    const summarized = talk.happened('summarized');
    expect(summarized.length).toBeGreaterThan(1);
    expect(summarized.every(({ reason }) => reason === 'overflow')).toBe(true);
    expect(talk.warned()).toEqual([]);
    const messages = await talk.messages();
    expect(messages.filter(({ source }) => source === 'summarization')).toHaveLength(1);
    expect(texts(messages).at(-2)).toContain('20 word');
    const kept = (await talk.history()).flatMap((section) => section.messages.map(({ id }) => id));
    const rest = messages.filter(({ id, source }) => source === undefined && !kept.includes(id));
    expect([...kept, ...rest.map(({ id }) => id)]).toEqual(talk.said.map(({ id }) => id));
  });

  it('is made anew from the session: what outer layers changed for one call is not kept', async () => {
    const hide = definePlugin({
      name: 'hide',
      priority: 80,
      wrapModelCall: (request, next) =>
        next({
          ...request,
          messages: request.messages.map((message) =>
            message.role === 'user'
              ? { ...message, content: [{ type: 'text' as const, text: `${textOf(message)} (hidden)` }] }
              : message,
          ),
        }),
    })();
    const model = talker({ realContext: 1000 });
    const talk = await conversation(model, { keep: { messages: 2 } }, { plugins: [hide] });
    for (let exchange = 1; exchange <= 10; exchange += 1) await talk.say(long(exchange));
    expect(talk.happened('summarized')).not.toEqual([]);
    expect(texts(await talk.messages()).join('\n')).not.toContain('(hidden)');
    expect(JSON.stringify(await talk.history())).not.toContain('(hidden)');
  });

  it('is given up with the error of the model when it is too long all the same', async () => {
    const model = talker({ realContext: 1500 });
    const talk = await conversation(model, {});
    await talk.say('Hello.');
    await expect(talk.say('word '.repeat(5000))).rejects.toMatchObject({ code: 'MODEL_CONTEXT_OVERFLOW' });
    // Condensed once, asked once more.
    expect(model.summaryRequests).toHaveLength(1);
    expect((await talk.messages()).filter(({ source }) => source === 'summarization')).toEqual([]);
    // Nothing of it is lost: it can still be condensed.
    expect(texts(await talk.messages()).slice(0, 2)).toEqual(['user: Hello.', 'assistant: Answer 0.']);
  });

  it('is sent once more and no more than that, and not if all that could go is a summary', async () => {
    const model = talker({ realContext: 1500 });
    let asked = 0;
    const counted: ChatModel = {
      ...model,
      generate: (request, call) => ((asked += 1), model.generate(request, call)),
    };
    const callsFor = async (options: SummarizationOptions): Promise<number> => {
      const talk = await conversation(counted, { ...options, model: talker() });
      await talk.say('Hello.');
      asked = 0;
      await expect(talk.say('word '.repeat(5000))).rejects.toMatchObject({ code: 'MODEL_CONTEXT_OVERFLOW' });
      return asked;
    };
    expect(await callsFor({})).toBe(2);
    // There is a summary already, since it was due.
    expect(await callsFor({ trigger: { messages: 3 }, keep: { messages: 1 } })).toBe(1);
  });

  it('is given up with the error of the model when there is nothing to condense, or its summary fails', async () => {
    const model = talker({ realContext: 300 });
    const alone = await conversation(model, {});
    await expect(alone.say('word '.repeat(1000))).rejects.toMatchObject({ code: 'MODEL_CONTEXT_OVERFLOW' });
    expect(model.summaryRequests).toEqual([]);
    const failing = await conversation(talker({ realContext: 500, summary: () => '' }), {});
    for (const exchange of [1, 2, 3]) await failing.say(long(exchange));
    await expect(failing.say(long(4))).rejects.toMatchObject({ code: 'MODEL_CONTEXT_OVERFLOW' });
    expect(failing.warned()).toContain('summarization/SUMMARY_FAILED');
  });

  it('may be one whose kept part is too long: then that is condensed as well, but for the last message of the user', async () => {
    const model = talker({
      realContext: 1400,
      say: (_, index) =>
        index < 6 ? { callId: 'note', args: { index, text: 'word '.repeat(200) } } : 'Done.',
    });
    const talk = await conversation(model, { keep: { messages: 50 } });
    expect(await talk.say('Take notes.')).toBe('Done.');
    expect(texts(model.requests.at(-1)?.messages ?? []).slice(0, 2)).toEqual([
      expect.stringContaining('<summary>') as string,
      'user: Take notes.',
    ]);
  });

  it('is left to the model when it fails otherwise', async () => {
    const model = talker();
    const failing = { ...model, generate: () => Promise.reject(new Error('no network')) };
    const talk = await conversation(failing, {});
    await expect(talk.say('Hello.')).rejects.toThrow('no network');
    expect(model.summaryRequests).toEqual([]);
  });

  it('is not taken for what fails otherwise, though there is something to condense', async () => {
    const model = talker();
    let isDown = false;
    const failing: ChatModel = {
      ...model,
      generate: (request, call) =>
        isDown && request.messages.length > 1
          ? Promise.reject(new Error('no network'))
          : model.generate(request, call),
    };
    const talk = await conversation(failing, { keep: { messages: 1 } });
    await talk.say('Hello.');
    isDown = true;
    await expect(talk.say('And now?')).rejects.toThrow('no network');
    expect(model.summaryRequests).toEqual([]);
  });
});
