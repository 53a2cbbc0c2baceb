import { definePlugin, type Message, textOf } from '@shallot/core';
import { testPlugin } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { conversation, talker, texts, type TalkerOptions } from '../test/conversation.ts';
import type { SummarizationOptions } from './settings/options.ts';
import { defaultPrompt } from './settings/prompts.ts';
import { summarization } from './summarization.ts';

await testPlugin(summarization, { manifest: new URL('../package.json', import.meta.url) });

const small = { trigger: { messages: 6 }, keep: { messages: 2 }, truncateArguments: null } as const;

/** A conversation of so many exchanges. */
async function talked(exchanges: number, options: SummarizationOptions = {}, says: TalkerOptions = {}) {
  const model = talker(says);
  const talk = await conversation(model, { ...small, ...options });
  for (let exchange = 1; exchange <= exchanges; exchange += 1) await talk.say(`Question ${exchange}.`);
  return { model, talk };
}

describe('A conversation that has grown', () => {
  it('goes on with a summary and its last messages, and says so', async () => {
    const { model, talk } = await talked(4);
    const condensed =
      'user: The conversation up to here was condensed, because it had grown too long. All of it, word for word, is in the file /conversation_history/talk.md.\n\n<summary>\nSummary 1.\n</summary>';
    expect(texts(model.requests.at(-1)?.messages ?? [])).toEqual([
      condensed,
      'assistant: Answer 2.',
      'user: Question 4.',
    ]);
    const messages = await talk.messages();
    expect(texts(messages)).toEqual([
      condensed,
      'assistant: Answer 2.',
      'user: Question 4.',
      'assistant: Answer 3.',
    ]);
    expect(messages[0]).toMatchObject({ role: 'user', source: 'summarization' });
    expect(talk.happened('summarized')).toEqual([
      {
        reason: 'size',
        piece: 1,
        pieces: 1,
        model: 'test/talker',
        tokens: 4,
        dropped: 5,
        kept: 2,
        tokensBefore: expect.any(Number) as number,
        tokensAfter: expect.any(Number) as number,
        path: '/conversation_history/talk.md',
      },
    ]);
  });

  it('stays as it is when nothing is due, or nothing can go', async () => {
    const { talk, model } = await talked(3);
    expect(await talk.messages()).toHaveLength(6);
    const wide = await talked(9, { trigger: { messages: 3 }, keep: { tokens: 50_000 } });
    expect(await wide.talk.messages()).toHaveLength(18);
    expect([...model.summaryRequests, ...wide.model.summaryRequests]).toEqual([]);
  });

  it("keeps the user's last message, however long the run goes on, and no call without its results", async () => {
    const { model, talk } = await talked(
      1,
      {},
      {
        say: (_, index) => (index < 12 ? { callId: 'note', args: { index } } : 'Done.'),
      },
    );
    expect(talk.happened('summarized').length).toBeGreaterThan(1);
    expect(model.requests).toHaveLength(13);
    for (const { messages } of model.requests) {
      expect(messages.filter(({ source }) => source === undefined).map((each) => textOf(each))).toContain(
        'Question 1.',
      );
    }
  });

  it('keeps leading system messages in front of the summary', async () => {
    const model = talker();
    const talk = await conversation(model, small);
    await talk.agent.run(
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Question 0.' },
      ],
      { sessionId: 'talk' },
    );
    for (const text of ['a', 'b', 'c']) await talk.say(text);
    expect((await talk.messages()).map(({ role, source }) => source ?? role).slice(0, 2)).toEqual([
      'system',
      'summarization',
    ]);
  });
});

describe('Summaries', () => {
  it('chain: there is one summary message, and each is made of the one before and of new messages', async () => {
    const { model, talk } = await talked(20);
    expect(talk.happened('summarized').length).toBeGreaterThan(4);
    for (const { messages } of model.requests) {
      expect(messages.filter(({ source }) => source === 'summarization').length).toBeLessThanOrEqual(1);
    }
    const inputs = model.summaryRequests.map(({ messages: [message] }) => (message ? textOf(message) : ''));
    for (const [index, input] of inputs.entries()) {
      expect(input.includes(`Summary ${index}.`)).toBe(index > 0);
      expect(input).toMatch(/### (user|assistant)\n/);
    }
  });

  it('are not made of a summary alone', async () => {
    const { talk, model } = await talked(6, { trigger: { tokens: 10 }, keep: { messages: 2 } });
    for (const request of model.summaryRequests)
      expect(textOf(request.messages[0] as Message)).toMatch(/### (user|assistant)\n\n(Question|Answer)/);
    expect(talk.happened('summarized').length).toBeGreaterThan(0);
  });

  it('are asked for with the prompt alone: no tools, no instructions of the agent', async () => {
    const { model } = await talked(4);
    const [request] = model.summaryRequests;
    expect(request).toMatchObject({ instructions: defaultPrompt, messages: [{ source: 'summarization' }] });
    expect(request).not.toHaveProperty('tools');
    expect(model.requests[0]?.tools).not.toHaveLength(0);
  });

  it("pass internal layers with their purpose, and count in the run's usage under the plugin's name", async () => {
    const origins: unknown[] = [];
    const watch = definePlugin({
      name: 'watch',
      setup({ hooks }) {
        hooks.wrapModelCall.tap({ name: 'watch', internal: true }, (request, next, { origin }) => {
          if (origin !== undefined) origins.push(origin);
          return next(request);
        });
      },
    })();
    const talk = await conversation(talker(), small, { plugins: [watch] });
    for (const text of ['a', 'b', 'c', 'd']) await talk.say(text);
    expect(origins).toEqual([{ plugin: 'summarization', purpose: 'summarization' }]);
    const end = talk.events.findLast((event) => event.type === 'run-end');
    expect(end?.result.usage.plugins).toMatchObject({ summarization: { output: 10 } });
  });

  it('are written by a model of their own, with a prompt and a message of their own', async () => {
    const writer = talker({ summary: () => 'Short.' });
    const { model, talk } = await talked(4, {
      model: writer,
      prompt: 'Be short.',
      message: '[{summary}] see {path}',
    });
    expect(model.summaryRequests).toEqual([]);
    expect(writer.summaryRequests).toMatchObject([{ instructions: 'Be short.' }]);
    expect(texts(await talk.messages())[0]).toBe('user: [Short.] see /conversation_history/talk.md');
  });

  it('are put in literally, but for the tag that would end them', async () => {
    const odd = "$& $1 $` {path} {summary} %s \\n ${x} <b> </summary> $'";
    const put = odd.replace('</', '&lt;/');
    const model = talker({ summary: () => odd });
    const talk = await conversation(model, { ...small, message: 'S: {summary} P: {path} S: {summary}' });
    for (const text of ['$&', '{x} {summary}', 'b', 'c']) await talk.say(text);
    expect(texts(await talk.messages())[0]).toBe(
      `user: S: ${put} P: /conversation_history/talk.md S: ${put}`,
    );
    expect(textOf(model.summaryRequests[0]?.messages[0] as Message)).toContain('$&\n');
    expect((await talk.history())[0]?.messages[2]?.text).toBe('### user\n\n{x} {summary}');
  });

  it('stand alone without a file', async () => {
    const { talk } = await talked(4, { historyDirectory: null });
    expect(texts(await talk.messages())[0]).toBe('user: Summary 1.');
    expect(await talk.files.list('/', { recursive: true })).toEqual([]);
  });
});
