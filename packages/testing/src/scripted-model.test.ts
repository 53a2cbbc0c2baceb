import { toMessage, type Chunk, type ModelContext, type ModelRequest } from '@shallot/core/model';
import { isTransient } from '@shallot/core/plugin';
import { describe, expect, it } from 'vitest';

import { assembleContent } from './assemble-content.ts';
import { rateLimited, scriptedModel, type ScriptedStep } from './scripted-model.ts';

let ids = 0;
const newId = (): string => `m${(ids += 1)}`;
const quiet: ModelContext = { signal: new AbortController().signal, emit: () => {}, wantsChunks: false };

function requestOf(model: ModelRequest['model'], ...texts: string[]): ModelRequest {
  return {
    model,
    instructions: '',
    messages: texts.map((content) => toMessage({ role: 'user', content }, newId)),
    settings: {},
  };
}

async function ask(steps: readonly ScriptedStep[], call: Partial<ModelContext> = {}) {
  const model = scriptedModel(steps);
  const chunks: Chunk[] = [];
  const emit = (chunk: Chunk): void => void chunks.push(chunk);
  const response = await model.generate(requestOf(model, 'hello'), {
    ...quiet,
    wantsChunks: true,
    emit,
    ...call,
  });
  return { model, chunks, response };
}

describe('a scripted model', () => {
  it('answers with megabytes', async () => {
    const text = 'word '.repeat(400_000);
    const { response } = await ask([{ text, toolCalls: [{ name: 'write', args: { text } }] }]);
    expect(response.message.content).toMatchObject([{ text }, { input: { text } }]);
  });

  it('answers call by call, and keeps the requests as it received them', async () => {
    const model = scriptedModel([{ text: 'one' }, { text: 'two', usage: { input: 1, output: 2, total: 3 } }]);
    const requests = [requestOf(model, 'a'), requestOf(model, 'b')] as const;
    const first = await model.generate(requests[0], quiet);
    const second = await model.generate(requests[1], quiet);
    expect([first, second]).toEqual([
      { message: { role: 'assistant', content: [{ type: 'text', text: 'one' }] }, finish: 'stop' },
      {
        message: { role: 'assistant', content: [{ type: 'text', text: 'two' }] },
        finish: 'stop',
        usage: { input: 1, output: 2, total: 3 },
      },
    ]);
    expect(model.requests[0]).toBe(requests[0]);
    expect(model.calls).toBe(2);
    model.assertDone();
  });

  it('streams words and pieces of arguments, and returns what they add up to', async () => {
    const step = {
      reasoning: 'let me see',
      text: 'Looking it up.',
      toolCalls: [
        { name: 'search', args: { query: 'the life of onions' } },
        { name: 'list', id: '' },
      ],
    };
    const streamed = await ask([step]);
    const whole = await ask([step], { wantsChunks: false });
    expect(streamed.response).toEqual(whole.response);
    expect(whole.chunks).toEqual([]);
    expect(assembleContent(streamed.chunks)).toEqual(streamed.response.message.content);
    expect(
      streamed.chunks.map((chunk) => ('text' in chunk ? `${chunk.index} ${chunk.text}` : chunk.type)),
    ).toEqual([
      '0 let ',
      '0 me ',
      '0 see',
      'part-end',
      '1 Looking ',
      '1 it ',
      '1 up.',
      'part-end',
      '2 {"query":"th',
      '2 e life of on',
      '2 ions"}',
      'part-end',
      '3 {}',
      'part-end',
    ]);
    expect(streamed.response.finish).toBe('tool-calls');
    expect(streamed.response.message.content.slice(2)).toEqual([
      { type: 'tool-call', id: 'call_1', name: 'search', input: { query: 'the life of onions' } },
      { type: 'tool-call', id: '', name: 'list', input: {} },
    ]);
  });

  it('gives argument text that is not JSON as the model wrote it', async () => {
    const { response } = await ask([{ toolCalls: [{ name: 'search', raw: '{"query": ' }] }]);
    expect(response.message.content).toEqual([
      { type: 'tool-call', id: 'call_1', name: 'search', input: {}, raw: '{"query": ' },
    ]);
  });

  it('waits for the promises that emit returns', async () => {
    let open = 0;
    let most = 0;
    const emit = async (): Promise<void> => {
      most = Math.max(most, (open += 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
      open -= 1;
    };
    await ask([{ text: 'one two three' }], { emit });
    expect([open, most]).toEqual([0, 1]);
  });

  it('throws an error as it is', async () => {
    const error = Object.assign(new Error('too many'), { status: 429 });
    await expect(ask([{ error }])).rejects.toBe(error);
    const limited = rateLimited({ retryAfterMs: 1000 });
    await expect(ask([{ error: limited }])).rejects.toBe(limited);
    expect(isTransient(limited)).toBe(true);
    expect(limited.retryAt).toBeGreaterThan(Date.now());
  });

  it('asks a function for its step', async () => {
    const { response } = await ask([
      async (request, index) => ({ text: `${index}: ${request.messages.length}` }),
    ]);
    expect(response.message.content).toEqual([{ type: 'text', text: '0: 1' }]);
  });

  it('pushes explicit chunks and ends their parts', async () => {
    const chunks: (string | Chunk)[] = [
      'Let me ',
      'see',
      { type: 'tool-call-delta', index: 1, id: 'x', name: 'f', text: '{' },
    ];
    const streamed = await ask([{ chunks, end: 'length' }]);
    expect(streamed.chunks).toEqual([
      { type: 'text-delta', index: 0, text: 'Let me ' },
      { type: 'text-delta', index: 0, text: 'see' },
      { type: 'tool-call-delta', index: 1, id: 'x', name: 'f', text: '{' },
      { type: 'part-end', index: 0 },
      { type: 'part-end', index: 1 },
    ]);
    expect(streamed.response).toEqual({
      message: {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see' },
          { type: 'tool-call', id: 'x', name: 'f', input: {}, raw: '{' },
        ],
      },
      finish: 'length',
    });
    expect((await ask([{ chunks, end: 'length' }], { wantsChunks: false })).response).toEqual(
      streamed.response,
    );
  });

  it('breaks off half-way', async () => {
    const seen: Chunk[] = [];
    const emit = (chunk: Chunk): void => void seen.push(chunk);
    await expect(ask([{ chunks: ['Half an ans'], end: 'broken' }], { emit })).rejects.toMatchObject({
      code: 'MODEL_STREAM_BROKEN',
      transient: true,
    });
    expect(seen).toHaveLength(1);
  });

  it('stalls until it is aborted, or even then', async () => {
    const controller = new AbortController();
    const obedient = ask([{ chunks: ['Hm'], stall: true }], { signal: controller.signal });
    const deaf = ask([{ chunks: ['Hm'], stall: 'ignore-signal' }], { signal: controller.signal });
    const stillThere = new Promise((resolve) => setTimeout(resolve, 5, 'still there'));
    await expect(Promise.race([obedient, deaf, stillThere])).resolves.toBe('still there');
    controller.abort(new Error('enough'));
    await expect(obedient).rejects.toThrow('enough');
    await expect(Promise.race([deaf, Promise.resolve('still there')])).resolves.toBe('still there');
  });

  it('stops streaming when it is aborted', async () => {
    const controller = new AbortController();
    const seen: Chunk[] = [];
    const emit = (chunk: Chunk): void => {
      seen.push(chunk);
      if (seen.length === 2) controller.abort(new Error('enough'));
    };
    await expect(ask([{ text: 'a b c d' }], { emit, signal: controller.signal })).rejects.toThrow('enough');
    expect(seen).toHaveLength(2);
  });

  it('refuses a call beyond its script, and shows what it was asked', async () => {
    const model = scriptedModel([{ text: 'one' }]);
    await model.generate(requestOf(model, 'hello'), quiet);
    const unexpected = model.generate(requestOf(model, 'hello', 'and now?'), quiet);
    await expect(unexpected).rejects.toMatchObject({ code: 'TEST_MODEL_UNEXPECTED' });
    await expect(unexpected).rejects.toThrow('user: and now?');
    expect(() => model.assertDone()).toThrow('user: and now?');
  });

  it('names the steps that nobody asked for', () => {
    const model = scriptedModel([{ text: 'one' }, { error: new Error('two') }]);
    expect(() => model.assertDone()).toThrow(
      'test/scripted was called 0 times, but its script has 2 steps. Unused:\n  step 1: {"text":"one"}\n  step 2: {"error":"Error: two"}',
    );
  });

  it('remembers a request that was not valid, also when a layer swallows the error', async () => {
    const model = scriptedModel([{ text: 'one' }]);
    const orphan = toMessage({ role: 'tool', callId: 'x', name: 'f', content: 'y' }, newId);
    const request = { ...requestOf(model, 'hello'), messages: [orphan] };
    await expect(model.generate(request, quiet)).rejects.toThrow('"x", which no open call has');
    expect(() => model.assertDone()).toThrow('"x", which no open call has');
  });
});
