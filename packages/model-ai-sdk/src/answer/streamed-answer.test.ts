import { setTimeout as sleep } from 'node:timers/promises';

import type { Chunk } from '@shallot/core/model';
import { assembleContent } from '@shallot/testing';
import { describe, expect, it } from 'vitest';

import { ask, failureOf, type Asked } from '../../test/ask.ts';
import { fakeLanguageModel, finish, streamOf } from '../../test/sdk/language-model.ts';
import { aiSdkModel } from '../ai-sdk-model.ts';
import type { StreamPart } from '../sdk/language-model.ts';

const text = (id: string, ...deltas: readonly string[]): StreamPart[] => [
  { type: 'text-start', id },
  ...deltas.map((delta): StreamPart => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
];

function stream(...parts: readonly StreamPart[]): Promise<Asked> {
  return ask(aiSdkModel(fakeLanguageModel({ stream: parts })));
}

/** The content, after a check that the chunks add up to it. */
function contentOf({ response, chunks }: Asked): unknown {
  const { content } = response.message;
  const plain = content.map(({ metadata: _, ...part }) => part);
  expect(assembleContent(chunks).map(({ metadata: _, ...part }) => part)).toEqual(plain);
  return content;
}

describe('a streamed answer', () => {
  it('goes out piece by piece, and is returned whole', async () => {
    const asked = await stream(
      { type: 'stream-start', warnings: [] },
      ...text('t', 'Hel', '', 'lo'),
      finish(),
    );
    expect(contentOf(asked)).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(asked.chunks).toEqual([
      { type: 'text-delta', index: 0, text: 'Hel' },
      { type: 'text-delta', index: 0, text: 'lo' },
      { type: 'part-end', index: 0 },
    ]);
  });

  it('has its parts in the order in which they began, also when they come mixed', async () => {
    const asked = await stream(
      { type: 'text-start', id: 'a' },
      { type: 'text-delta', id: 'a', delta: '1' },
      { type: 'tool-input-start', id: 'c', toolName: 'add' },
      { type: 'text-delta', id: 'a', delta: '2' },
      { type: 'tool-input-delta', id: 'c', delta: '{}' },
      { type: 'text-end', id: 'a' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'add', input: '{}' },
      finish('tool-calls'),
    );
    expect(contentOf(asked)).toEqual([
      { type: 'text', text: '12' },
      { type: 'tool-call', id: 'c', name: 'add', input: {} },
    ]);
  });

  it('leaves out what is empty, and keeps what comes with something to send back', async () => {
    const asked = await stream(
      ...text('a'),
      { type: 'reasoning-start', id: 'r', providerMetadata: { acme: { redactedData: 'xyz' } } },
      { type: 'reasoning-end', id: 'r' },
      { type: 'text-start', id: 'b' },
      { type: 'text-end', id: 'b', providerMetadata: { acme: { signature: 's' } } },
      finish(),
    );
    expect(contentOf(asked)).toEqual([
      { type: 'reasoning', text: '', metadata: { acme: { redactedData: 'xyz' } } },
      { type: 'text', text: '', metadata: { acme: { signature: 's' } } },
    ]);
  });

  it('puts together what is said of a part at its start, in between and at its end', async () => {
    const asked = await stream(
      { type: 'reasoning-start', id: 'r', providerMetadata: { acme: { itemId: 'i', empty: null } } },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: { acme: { signature: 'abc' } } },
      { type: 'reasoning-end', id: 'r', providerMetadata: { acme: { itemId: 'j' } } },
      finish(),
    );
    expect(contentOf(asked)).toEqual([
      { type: 'reasoning', text: 'Hm.', metadata: { acme: { itemId: 'j', empty: null, signature: 'abc' } } },
    ]);
  });

  it('parts what is thought from what is said, also under one id', async () => {
    const asked = await stream(
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Yes.' },
      { type: 'reasoning-end', id: '0' },
      { type: 'text-end', id: '0' },
      finish(),
    );
    expect(contentOf(asked)).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes.' },
    ]);
  });

  it('ends parts that the provider does not end', async () => {
    const asked = await stream({ type: 'text-delta', id: 't', delta: 'open' }, finish());
    expect(contentOf(asked)).toEqual([{ type: 'text', text: 'open' }]);
    expect(asked.chunks.at(-1)).toEqual({ type: 'part-end', index: 0 });
  });

  it('has files, with bytes as base64', async () => {
    const bytes = {
      type: 'file',
      mediaType: 'image/png',
      // A view of what the package holds, as it comes from the network.
      data: { type: 'data', data: new Uint8Array([0, 1, 2, 3, 4]).subarray(1, 4) },
    } as const;
    const url = {
      type: 'file',
      mediaType: 'image/png',
      data: { type: 'url', url: new URL('https://a.example/b.png') },
    } as const;
    const old = { type: 'file', mediaType: 'image/png', data: 'AQID' } as const;
    expect(contentOf(await stream(bytes, url, old, finish()))).toEqual([
      { type: 'file', mediaType: 'image/png', data: 'AQID' },
      { type: 'file', mediaType: 'image/png', url: 'https://a.example/b.png' },
      { type: 'file', mediaType: 'image/png', data: 'AQID' },
    ]);
  });

  it('goes on after parts that nobody knows, and keeps what they say', async () => {
    const asked = await stream(
      { type: 'ping' },
      { type: 'raw', rawValue: { a: 1 } },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.example' },
      { type: 'from-the-future', what: 1n } as unknown as StreamPart,
      { type: 'from-the-future', what: [1] } as unknown as StreamPart,
      { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
      ...text('t', 'ok'),
      finish(),
    );
    expect(contentOf(asked)).toEqual([
      { type: 'source', id: 's', url: 'https://a.example' },
      { type: 'text', text: 'ok' },
    ]);
    expect(asked.response.metadata?.['parts']).toEqual([
      { type: 'from-the-future', what: [1] },
      { type: 'reasoning-file', mediaType: 'image/png', data: null },
    ]);
  });

  it('keeps no more than two hundred of them', async () => {
    const unknown = Array.from({ length: 300 }, () => ({ type: 'from-the-future' }) as unknown as StreamPart);
    const asked = await stream(...unknown, ...text('t', 'ok'), finish());
    expect(asked.response.metadata?.['parts']).toHaveLength(200);
  });

  it('waits for a consumer that is slow, chunk by chunk', async () => {
    const parts: StreamPart[] = [
      ...text('t', 'a', 'b'),
      { type: 'tool-call', toolCallId: 'c', toolName: 'add', input: '{}' },
      finish('tool-calls'),
    ];
    const steps: string[] = [];
    const emit = async ({ type }: Chunk): Promise<void> => {
      steps.push(`${type} >`);
      await sleep(1);
      steps.push(`${type} <`);
    };
    await ask(aiSdkModel(fakeLanguageModel({ stream: parts })), {}, { emit });
    const sent = ['text-delta', 'text-delta', 'part-end', 'tool-call-delta', 'part-end'];
    expect(steps).toEqual(sent.flatMap((type) => [`${type} >`, `${type} <`]));
  });
});

describe('streamed tool calls', () => {
  const start = (id: string, name = 'add'): StreamPart => ({ type: 'tool-input-start', id, toolName: name });
  const delta = (id: string, piece: string): StreamPart => ({ type: 'tool-input-delta', id, delta: piece });
  const end = (id: string, input: string): StreamPart => ({
    type: 'tool-call',
    toolCallId: id,
    toolName: 'add',
    input,
  });

  it('come in parallel, each with its own pieces', async () => {
    const asked = await stream(
      start('a'),
      start('b'),
      delta('b', '{"n":'),
      delta('a', '{"n":1}'),
      delta('b', '2}'),
      end('a', '{"n":1}'),
      end('b', '{"n":2}'),
      finish('tool-calls'),
    );
    expect(contentOf(asked)).toEqual([
      { type: 'tool-call', id: 'a', name: 'add', input: { n: 1 } },
      { type: 'tool-call', id: 'b', name: 'add', input: { n: 2 } },
    ]);
    expect(asked.response.finish).toBe('tool-calls');
  });

  it('may all have one id, __proto__ included', async () => {
    const asked = await stream(
      start('__proto__'),
      start('__proto__'),
      delta('__proto__', '{"n":2}'),
      end('__proto__', '{"n":2}'),
      end('__proto__', '{"n":1}'),
      finish('tool-calls'),
    );
    expect(contentOf(asked)).toEqual([
      { type: 'tool-call', id: '__proto__', name: 'add', input: { n: 1 } },
      { type: 'tool-call', id: '__proto__', name: 'add', input: { n: 2 } },
    ]);
  });

  it('may come without pieces, without arguments, and with others than were streamed', async () => {
    const asked = await stream(
      end('whole', '{"n":1}'),
      start('none'),
      end('none', ''),
      start('other'),
      delta('other', '{"n": 3}'),
      end('other', '{"n":4}'),
      finish('stop'),
    );
    expect(contentOf(asked)).toEqual([
      { type: 'tool-call', id: 'whole', name: 'add', input: { n: 1 } },
      { type: 'tool-call', id: 'none', name: 'add', input: {} },
      { type: 'tool-call', id: 'other', name: 'add', input: { n: 4 } },
    ]);
    // This server says "stop" after calls.
    expect(asked.response.finish).toBe('tool-calls');
  });

  it.each(['{"n":', '{"n":1e999}'])(
    'keep arguments that no message can hold as they are: %s',
    async (raw) => {
      const asked = await stream(start('a'), delta('a', raw), end('a', raw), finish('tool-calls'));
      expect(contentOf(asked)).toEqual([{ type: 'tool-call', id: 'a', name: 'add', input: {}, raw }]);
    },
  );

  it('are shown only when they are whole, if their pieces are no JSON', async () => {
    const asked = await stream(
      { ...start('a'), inputEncoding: 'text' } as StreamPart,
      delta('a', 'SELECT 1'),
      end('a', '"SELECT 1"'),
      finish('tool-calls'),
    );
    expect(contentOf(asked)).toEqual([{ type: 'tool-call', id: 'a', name: 'add', input: 'SELECT 1' }]);
    expect(asked.chunks.map((chunk) => ('text' in chunk ? chunk.text : chunk.type))).toEqual([
      '',
      '"SELECT 1"',
      'part-end',
    ]);
  });

  it('that the output limit cuts off are kept, with the reason', async () => {
    const asked = await stream(start('a'), delta('a', '{"n":1}'), finish('length'));
    expect(contentOf(asked)).toEqual([{ type: 'tool-call', id: 'a', name: 'add', input: { n: 1 } }]);
    expect(asked.response.finish).toBe('length');
  });

  it('that nobody ended break the answer', async () => {
    const failure = await failureOf(stream(start('a'), delta('a', '{"n":1}'), finish('tool-calls')));
    expect(failure).toMatchObject({ code: 'MODEL_STREAM_BROKEN', transient: true });
  });

  it('have what the provider wants back with them', async () => {
    const signed = { providerMetadata: { acme: { signature: 's' } } };
    const asked = await stream(
      start('a'),
      { ...end('a', '{}'), ...signed },
      { ...end('b', '{}'), ...signed },
      finish('tool-calls'),
    );
    expect(contentOf(asked)).toMatchObject([
      { id: 'a', metadata: { acme: { signature: 's' } } },
      { id: 'b', metadata: { acme: { signature: 's' } } },
    ]);
  });

  it('that the provider says to execute itself only when they begin are no calls of ours either', async () => {
    const asked = await stream(
      { type: 'tool-input-start', id: 'w', toolName: 'web_search', providerExecuted: true },
      { type: 'tool-call', toolCallId: 'w', toolName: 'web_search', input: '{}' },
      ...text('t', 'Found.'),
      finish(),
    );
    expect(contentOf(asked)).toEqual([
      { type: 'provider-call', id: 'w', name: 'web_search', input: {} },
      { type: 'text', text: 'Found.' },
    ]);
  });

  it('that the provider says to execute itself only when they end are taken back', async () => {
    const call = { type: 'provider-call', id: 'w', name: 'web_search', input: { query: 'bees' } };
    const input = '{"query":"bees"}';
    const asked = await stream(
      { type: 'tool-input-start', id: 'w', toolName: 'web_search' },
      delta('w', input),
      { type: 'tool-call', toolCallId: 'w', toolName: 'web_search', input, providerExecuted: true },
      ...text('t', 'Found.'),
      finish(),
    );
    expect(contentOf(asked)).toEqual([call, { type: 'text', text: 'Found.' }]);
    expect(asked.chunks).toContainEqual({ type: 'part-end', index: 0, part: call });
  });

  it('that the provider executes itself are no calls of ours', async () => {
    const asked = await stream(
      { type: 'tool-input-start', id: 'w', toolName: 'web_search', providerExecuted: true },
      delta('w', '{}'),
      { type: 'tool-call', toolCallId: 'w', toolName: 'web_search', input: '{}', providerExecuted: true },
      { type: 'tool-result', toolCallId: 'w', toolName: 'web_search', result: { found: 1 } },
      ...text('t', 'Found.'),
      finish(),
    );
    expect(contentOf(asked)).toEqual([
      { type: 'provider-call', id: 'w', name: 'web_search', input: {} },
      { type: 'provider-result', callId: 'w', name: 'web_search', result: { found: 1 } },
      { type: 'text', text: 'Found.' },
    ]);
    expect(asked.response.finish).toBe('stop');
  });
});

describe('the end of a stream', () => {
  it.each([
    ['without a finish part', text('t', 'half')],
    [
      'that the provider calls interrupted',
      [
        ...text('t', 'half'),
        { ...finish(), finishReason: { unified: 'interrupted', raw: undefined } } as StreamPart,
      ],
    ],
    [
      'of which the provider knows nothing',
      [
        ...text('t', 'half'),
        { ...finish(), finishReason: { unified: 'other', raw: undefined } } as StreamPart,
      ],
    ],
  ])('%s is a broken answer', async (_, parts) => {
    expect(await failureOf(stream(...parts))).toMatchObject({ code: 'MODEL_STREAM_BROKEN', transient: true });
  });

  it('by an error part is that error, and nothing is read on', async () => {
    let cancelled = false;
    const source = streamOf(
      [...text('t', 'half'), { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
      'stall',
    );
    const reader = source.getReader();
    const watched = new ReadableStream<StreamPart>({
      async pull(controller) {
        const { value } = await reader.read();
        if (value !== undefined) controller.enqueue(value);
      },
      cancel: () => void (cancelled = true),
    });
    const failure = await failureOf(ask(aiSdkModel(fakeLanguageModel({ stream: watched }))));
    expect(failure).toMatchObject({ code: 'MODEL_OVERLOADED', transient: true });
    expect(cancelled).toBe(true);
  });

  it.each([
    [
      'a reset',
      Object.assign(new TypeError('terminated'), {
        cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }),
      }),
    ],
    ['bad JSON', Object.assign(new Error('JSON parsing failed'), { name: 'AI_JSONParseError' })],
    ['something unheard of', new Error('?')],
  ])('by %s after a part of the answer is a broken answer', async (_, error) => {
    const model = aiSdkModel(fakeLanguageModel({ stream: streamOf(text('t', 'half'), error) }));
    expect(await failureOf(ask(model))).toMatchObject({ code: 'MODEL_STREAM_BROKEN', transient: true });
  });

  it.each(['text-delta', 'reasoning-delta', 'tool-input-delta'] as const)(
    'comes for an answer that has none (%s)',
    async (type) => {
      const piece = 'x'.repeat(1024 * 1024);
      let sent = 0;
      const endless = new ReadableStream<StreamPart>({
        start: (controller) => controller.enqueue({ type: 'tool-input-start', id: 't', toolName: 'add' }),
        pull(controller) {
          sent += 1;
          controller.enqueue({ type, id: 't', delta: piece });
          if (sent === 20) controller.close();
        },
      });
      const failure = await failureOf(
        ask(aiSdkModel(fakeLanguageModel({ stream: endless })), {}, { emit: () => {} }),
      );
      expect(failure).toMatchObject({ code: 'MODEL_RESPONSE', transient: false });
      expect(sent).toBeLessThan(20);
    },
  );
});
