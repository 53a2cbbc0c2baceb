import { getEventListeners } from 'node:events';

import { createAgent } from '@shallot/core';
import { collectEvents } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { ask, failureOf } from '../test/ask.ts';
import { fakeLanguageModel, finish, streamOf, type FakeAnswer } from '../test/sdk/language-model.ts';
import { aiSdkModel } from './ai-sdk-model.ts';
import type { AiSdkLanguageModel } from './sdk/ai-sdk-language-model.ts';
import type { StreamPart } from './sdk/language-model.ts';

const hello: FakeAnswer = {
  stream: [
    { type: 'response-metadata', id: 'r1', modelId: 'fake-1-2026', timestamp: new Date(0) },
    { type: 'text-delta', id: 't', delta: 'Hello' },
    {
      ...finish(),
      providerMetadata: { acme: { when: new Date(0), nothing: undefined } },
    } as unknown as StreamPart,
  ],
  content: [{ type: 'text', text: 'Hello' }],
  result: {
    response: { id: 'r1', modelId: 'fake-1-2026' },
    providerMetadata: { acme: { when: '1970-01-01T00:00:00.000Z' } },
  },
};

describe('aiSdkModel', () => {
  it('is called by the names of the provider and the model, or as one says', () => {
    const language = fakeLanguageModel(hello, { provider: 'acme.responses' });
    expect(aiSdkModel(language)).toMatchObject({ id: 'acme/fake-1', limits: {} });
    const named = aiSdkModel(language, { id: 'mine', contextTokens: 1000, outputTokens: 10 });
    expect(named).toMatchObject({ id: 'mine', limits: { contextTokens: 1000, outputTokens: 10 } });
  });

  it('gives the same answer in both modes: usage, finish and what the provider says of it', async () => {
    const model = aiSdkModel(fakeLanguageModel(hello));
    const streamed = await ask(model);
    const whole = await ask(model, {}, { wantsChunks: false });
    expect(whole.response).toEqual(streamed.response);
    expect(whole.response).toMatchObject({
      finish: 'stop',
      usage: { input: 10, output: 5, total: 15, cacheRead: 2, cacheWrite: 1, reasoning: 2 },
      metadata: {
        id: 'r1',
        model: 'fake-1-2026',
        finish: 'stop',
        provider: { acme: { when: '1970-01-01T00:00:00.000Z' } },
      },
    });
  });

  it.each([
    [undefined, {}, undefined],
    [{ total: 3 }, {}, { input: 3, output: 0, total: 3 }],
    [
      { noCache: 3, cacheRead: 4 },
      { text: 1, reasoning: 2 },
      { input: 7, output: 3, total: 10, cacheRead: 4, reasoning: 2 },
    ],
    // Some leave the cache out of the total, and the reasoning.
    [
      { total: 3, cacheRead: 9 },
      { total: 1, reasoning: 5 },
      { input: 9, output: 5, total: 14, cacheRead: 9, reasoning: 5 },
    ],
    [{ total: Number.NaN }, { total: -1 }, undefined],
  ])('counts %o and %o as %o', async (inputTokens, outputTokens, expected) => {
    const usage = { inputTokens, outputTokens } as never;
    const model = aiSdkModel(fakeLanguageModel({ ...hello, result: { usage } }));
    const { response } = await ask(model, {}, { wantsChunks: false });
    expect(response.usage).toEqual(expected);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content-filter', 'content-filter'],
    ['tool-calls', 'stop'],
    ['other', 'other'],
    ['unheard-of', 'other'],
  ])('takes the finish reason %s for %s', async (unified, expected) => {
    const finishReason = { unified, raw: 'raw' } as never;
    const model = aiSdkModel(fakeLanguageModel({ ...hello, result: { finishReason } }));
    expect((await ask(model, {}, { wantsChunks: false })).response.finish).toBe(expected);
  });

  it.each([
    ['error', 'MALFORMED_FUNCTION_CALL', 'MODEL_FAILED', true],
    ['content-filter', 'SAFETY', 'MODEL_CONTENT_FILTERED', false],
  ])('fails for the finish reason %s without an answer', async (unified, raw, code, transient) => {
    const result = { finishReason: { unified, raw } as never };
    const failure = await failureOf(
      ask(aiSdkModel(fakeLanguageModel({ result })), {}, { wantsChunks: false }),
    );
    expect(failure).toMatchObject({ code, transient });
    expect((failure as Error).message).toContain(raw);
  });

  it('takes no call for its own that the provider executes itself', async () => {
    const call = { type: 'tool-call', toolCallId: 'w', toolName: 'search', input: '{}' } as const;
    const content = [
      { ...call, providerExecuted: true },
      { type: 'text', text: 'Found.' },
    ] as const;
    const { response } = await ask(aiSdkModel(fakeLanguageModel({ content })), {}, { wantsChunks: false });
    expect(response.message.content).toEqual([
      { type: 'provider-call', id: 'w', name: 'search', input: {} },
      { type: 'text', text: 'Found.' },
    ]);
  });

  it('says no value of a header in a message', async () => {
    const error = Object.assign(new Error('The key hive-7-of-nine is wrong.'), { statusCode: 401 });
    const failure = await failureOf(
      ask(aiSdkModel(fakeLanguageModel({ error })), {
        settings: { headers: { 'x-api-key': 'hive-7-of-nine' } },
      }),
    );
    expect(failure).toMatchObject({ code: 'MODEL_AUTH' });
    expect((failure as Error).message).not.toContain('hive-7');
  });

  it.each(['UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])(
    'fails with the reason %s of no answer',
    async (raw) => {
      const failure = await failureOf(ask(aiSdkModel(fakeLanguageModel({ stream: [finish('other', raw)] }))));
      expect(failure).toMatchObject({ code: 'MODEL_FAILED', transient: true });
      expect((failure as Error).message).toContain(raw);
    },
  );

  it('says what the provider warns of once, and keeps it with each response', async () => {
    const warnings = [
      { type: 'unsupported', feature: 'topK', details: 'not with this model' },
      { type: 'compatibility', feature: 'files' },
      { type: 'deprecated', setting: 'seed', message: 'use none' },
      { type: 'other', message: 'Mind the gap.' },
      { type: 'new', why: 'because' },
    ] as never;
    const model = aiSdkModel(fakeLanguageModel({ stream: [{ type: 'stream-start', warnings }, finish()] }));
    const first = await ask(model);
    expect(first.warnings).toEqual([
      'acme/fake-1: The model does not support topK: not with this model',
      'acme/fake-1: The model supports files in a compatibility mode.',
      'acme/fake-1: seed is deprecated: use none',
      'acme/fake-1: Mind the gap.',
      'acme/fake-1: {"type":"new","why":"because"}',
    ]);
    const second = await ask(model);
    expect(second.warnings).toEqual([]);
    expect(second.response.metadata?.['warnings']).toHaveLength(5);
  });

  it('keeps what the provider wants back with each part, and what it warns of, also in one piece', async () => {
    const signed = {
      providerMetadata: JSON.parse('{"acme":{"signature":"s"},"__proto__":{"a":1}}') as never,
    };
    const content = [
      { type: 'reasoning', text: 'Hm.', ...signed },
      { type: 'text', text: '', ...signed },
      { type: 'tool-call', toolCallId: 'a', toolName: 'add', input: '{}', ...signed },
      { type: 'file', mediaType: 'image/png', data: 'AQID', ...signed },
    ] as const;
    const result = { warnings: [{ type: 'other', message: 'Mind the gap.' }] as never };
    const asked = await ask(aiSdkModel(fakeLanguageModel({ content, result })), {}, { wantsChunks: false });
    const metadata = { acme: { signature: 's' } };
    expect(asked.response.message.content).toEqual([
      { type: 'reasoning', text: 'Hm.', metadata },
      { type: 'text', text: '', metadata },
      { type: 'tool-call', id: 'a', name: 'add', input: {}, metadata },
      { type: 'file', mediaType: 'image/png', data: 'AQID', metadata },
    ]);
    expect(asked.warnings).toEqual(['acme/fake-1: Mind the gap.']);
  });

  it('warns on the stream of a run', async () => {
    const warnings = [{ type: 'unsupported', feature: 'topK' }] as never;
    const stream: StreamPart[] = [
      { type: 'stream-start', warnings },
      { type: 'text-delta', id: 't', delta: 'Hi' },
      finish(),
    ];
    await using agent = await createAgent({
      model: aiSdkModel(fakeLanguageModel({ stream })),
      log: 'silent',
    });
    const { events } = await collectEvents(agent.stream('Hi'));
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([{ code: 'MODEL_WARNING' }]);
  });
});

describe('an abort', () => {
  it.each([true, false])('ends a call whose provider does not listen (streamed: %s)', async (wantsChunks) => {
    const controller = new AbortController();
    const stalled: AiSdkLanguageModel = {
      ...fakeLanguageModel({ stream: streamOf([], 'stall') }),
      doGenerate: () => new Promise<never>(() => {}),
    };
    const call = failureOf(ask(aiSdkModel(stalled), {}, { wantsChunks, signal: controller.signal }));
    controller.abort(new Error('enough'));
    expect(await call).toMatchObject({ message: 'enough' });
  });

  it('gives up a stream that begins too late', async () => {
    const controller = new AbortController();
    const begun = Promise.withResolvers<{ stream: ReadableStream<StreamPart> }>();
    const late: AiSdkLanguageModel = { ...fakeLanguageModel({}), doStream: () => begun.promise };
    const call = failureOf(ask(aiSdkModel(late), {}, { signal: controller.signal }));
    controller.abort(new Error('enough'));
    expect(await call).toMatchObject({ message: 'enough' });
    const cancelled = Promise.withResolvers<void>();
    begun.resolve({ stream: new ReadableStream({ cancel: () => cancelled.resolve() }) });
    await cancelled.promise;
  });

  it('lets go of a stream that is being read', async () => {
    const controller = new AbortController();
    const cancelled = Promise.withResolvers<void>();
    const stream = new ReadableStream<StreamPart>({
      start: (source) => source.enqueue({ type: 'text-delta', id: 't', delta: 'Well, ' }),
      cancel: () => cancelled.resolve(),
    });
    const emit = (): void => controller.abort(new Error('enough'));
    const call = ask(aiSdkModel(fakeLanguageModel({ stream })), {}, { signal: controller.signal, emit });
    expect(await failureOf(call)).toMatchObject({ message: 'enough' });
    await cancelled.promise;
  });

  it.each([true, false])('leaves no listener behind (streamed: %s)', async (wantsChunks) => {
    const { signal } = new AbortController();
    await ask(aiSdkModel(fakeLanguageModel(hello)), {}, { wantsChunks, signal });
    const failing = aiSdkModel(fakeLanguageModel({ error: new Error('no') }));
    await failureOf(ask(failing, {}, { wantsChunks, signal }));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is the reason also of what the provider makes of it', async () => {
    const controller = new AbortController();
    const failing: AiSdkLanguageModel = {
      ...fakeLanguageModel({}),
      doStream: async () => {
        controller.abort(new Error('enough'));
        throw Object.assign(new Error('This operation was aborted'), { name: 'AbortError' });
      },
    };
    const failure = await failureOf(ask(aiSdkModel(failing), {}, { signal: controller.signal }));
    expect(failure).toMatchObject({ message: 'enough' });
  });
});

describe('what is no model of a version that is supported', () => {
  const old = { specificationVersion: 'v1', provider: 'anthropic.messages', modelId: 'claude-3' };
  it.each([
    ['an older one', old, 'Install a newer package of the provider: @ai-sdk/anthropic@latest.'],
    [
      'an older one of a provider that is not known',
      { ...old, provider: 'acme' },
      'Install a newer package of the provider acme.',
    ],
    [
      'a newer version',
      { ...old, specificationVersion: 'v9' },
      'Install a newer one: @shallot/model-ai-sdk@latest.',
    ],
    ['a name', 'anthropic/claude-3', 'but got a string'],
    ['a provider', Object.assign(() => {}, {}), 'but got a provider, or another function'],
    ['nothing', undefined, 'but got undefined'],
    ['an image model', { ...old, specificationVersion: 'v4' }, 'has no doGenerate and doStream'],
  ])('%s is refused, and what to do is said', (_, model, expected) => {
    expect(() => aiSdkModel(model as never)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID' }) as Error,
    );
    expect(() => aiSdkModel(model as never)).toThrow(expected);
  });
});
