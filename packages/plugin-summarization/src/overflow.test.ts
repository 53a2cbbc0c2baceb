import { definePlugin, textOf } from '@shallot/core';
import { modelError, type ChatModel } from '@shallot/core/model';
import { describe, expect, it } from 'vitest';

import { conversation, talker, texts, type TalkerOptions } from '../test/conversation.ts';

const long = (exchange: number): string => `${exchange} ${'word '.repeat(100)}`;

describe('A request that the model finds too long', () => {
  it('is condensed and sent once more; the new history is kept with the answer', async () => {
    // Nothing is known of the context, and nothing is due.
    const model = talker({ realContext: 1000 });
    const talk = await conversation(model, { keep: { messages: 2 } });
    for (let exchange = 1; exchange <= 20; exchange += 1) await talk.say(long(exchange));
    const summarized = talk.happened('summarized').filter(({ dropped }) => dropped !== undefined);
    expect(summarized.length).toBeGreaterThan(1);
    // The refusal names the context, so the model need not refuse again.
    expect(summarized.map(({ reason }) => reason)).toEqual([
      'overflow',
      ...summarized.slice(1).map(() => 'size'),
    ]);
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

  it('may be one because of a single message of the user: that keeps its head and tail, and names the file', async () => {
    const model = talker({ realContext: 1500 });
    const talk = await conversation(model, {});
    await talk.say('Hello.');
    const report = `Read this. ${'word '.repeat(5000)}And answer.`;
    expect(await talk.say(report)).toBe('Answer 1.');
    const [, , sent = ''] = texts(model.requests.at(-1)?.messages ?? []);
    expect(sent).toMatch(/^user: Read this\. [^]+ word And answer\.$/);
    expect(sent).toContain(
      '[Part of this message is left out here, since it is too large. The whole is in the file /conversation_history/talk.md, under "### user".]',
    );
    expect(model.summaryRequests).toEqual([]);
    const kept = (await talk.history()).flatMap(({ messages }) => messages);
    expect(kept.at(-1)?.text).toContain(report);
  });

  it('may be one because of a message that the model has answered, and calls tools for, already', async () => {
    const model = talker({
      realContext: 2500,
      say: (_, index) =>
        index < 6 ? { callId: 'note', args: { index, text: 'word '.repeat(60) } } : 'Done.',
    });
    const talk = await conversation(model, {});
    expect(await talk.say(`Take notes. ${'word '.repeat(2000)}`)).toBe('Done.');
    expect(texts(model.requests.at(-1)?.messages ?? []).join('\n')).toContain('user: Take notes.');
  });

  it('leaves a message of the user whole that is not large itself: the results beside it are clipped', async () => {
    const model = talker({
      realContext: 2500,
      say: (_, index) => (index < 4 ? { callId: 'note', args: { text: 'word '.repeat(600) } } : 'Done.'),
    });
    const talk = await conversation(model, { keep: { messages: 50 } });
    const said = `Take notes. ${'word '.repeat(400)}`;
    expect(await talk.say(said)).toBe('Done.');
    const cleared = talk.happened('cleared');
    expect(cleared.length + talk.happened('summarized').length).toBeGreaterThan(0);
    for (const { messages } of model.requests) expect(texts(messages)).toContain(`user: ${said}`);
  });

  it('takes no more from a large message of the user than small results leave', async () => {
    const model = talker({
      realContext: 2500,
      say: (_, index) => (index < 3 ? { callId: 'note', args: { index } } : 'Done.'),
    });
    const talk = await conversation(model, {});
    expect(await talk.say(`Take notes. ${'word '.repeat(5000)}`)).toBe('Done.');
    const [sent = '', ...rest] = texts(model.requests.at(-1)?.messages ?? []);
    expect(sent.length).toBeGreaterThan(4000);
    expect(rest.filter((text) => text.includes('left out'))).toEqual([]);
  });

  it('is given up with the error of the model when that refuses everything', async () => {
    const model = talker({ realContext: 10 });
    const talk = await conversation(model, {});
    await expect(talk.say('word '.repeat(1000))).rejects.toMatchObject({ code: 'MODEL_CONTEXT_OVERFLOW' });
    expect(model.summaryRequests).toEqual([]);
  });

  it.each<readonly [string, TalkerOptions['summary']]>([
    ['writes nothing', () => ''],
    ['is down', () => Promise.reject(modelError('MODEL_OVERLOADED', { message: 'No time.' }))],
    ['takes too long', () => new Promise<string>(() => {})],
  ])('goes on without a summary if the writer %s: what the user said stays', async (_, summary) => {
    const model = talker({ realContext: 1000, ...(summary === undefined ? {} : { summary }) });
    const talk = await conversation(model, { keep: { messages: 2 }, timeoutMs: 20 });
    for (let exchange = 1; exchange <= 20; exchange += 1) await talk.say(long(exchange));
    expect(new Set(talk.warned())).toEqual(new Set(['summarization/SUMMARY_FAILED']));
    const messages = await talk.messages();
    const [inPlace = ''] = texts(messages);
    expect(inPlace).toContain('is in the file /conversation_history/talk.md');
    expect(inPlace.match(/No summary of these messages could be written/g)).toHaveLength(1);
    expect(inPlace).toContain('The user said: 1 word word');
    expect(messages.filter(({ source }) => source === 'summarization')).toHaveLength(1);
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
