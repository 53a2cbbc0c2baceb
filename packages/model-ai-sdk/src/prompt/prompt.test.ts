import { defineTool, type MessageInput } from '@shallot/core';
import { describe, expect, it } from 'vitest';

import { ask } from '../../test/ask.ts';
import { fakeLanguageModel, finish } from '../../test/sdk/language-model.ts';
import { aiSdkModel } from '../ai-sdk-model.ts';
import type { CallOptions } from '../sdk/language-model.ts';

interface Where {
  readonly version?: 'v3' | 'v4';
  readonly provider?: string;
}

/** Returns the options that a model is called with for a request. */
async function called(request: Parameters<typeof ask>[1], where: Where = {}): Promise<CallOptions> {
  const language = fakeLanguageModel({ stream: [finish()] }, where);
  await ask(aiSdkModel(language), request);
  const [options] = language.calls;
  if (options === undefined) throw new Error('The model was not called.');
  return options;
}

async function promptOf(messages: readonly MessageInput[], where?: Where): Promise<unknown> {
  return (await called({ messages }, where)).prompt;
}

describe('a request', () => {
  const add = defineTool({
    name: 'add',
    description: 'Adds.',
    input: { type: 'object', properties: { a: { type: 'number' } } },
    execute: () => 1,
  });

  it('becomes options of the call: settings, headers, tools, and what only one provider has', async () => {
    const { abortSignal, ...options } = await called({
      instructions: 'Be brief.',
      tools: [add],
      toolChoice: { tool: 'add' },
      output: { name: 'sum', schema: { type: 'object', properties: {} } },
      settings: {
        temperature: 0.5,
        topP: 0.9,
        topK: 5,
        maxOutputTokens: 100,
        stopSequences: ['END'],
        presencePenalty: 0.1,
        frequencyPenalty: 0.2,
        seed: 7,
        headers: { 'x-team': 'bees' },
        provider: { acme: { thinking: { budget: 10 } } },
      },
    });
    expect(abortSignal).toBeInstanceOf(AbortSignal);
    expect(options).toEqual({
      prompt: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      ],
      tools: [{ type: 'function', name: 'add', description: 'Adds.', inputSchema: add.inputSchema }],
      toolChoice: { type: 'tool', toolName: 'add' },
      responseFormat: {
        type: 'json',
        name: 'sum',
        schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      },
      includeRawChunks: true,
      temperature: 0.5,
      topP: 0.9,
      topK: 5,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      seed: 7,
      headers: { 'x-team': 'bees' },
      providerOptions: { acme: { thinking: { budget: 10 } } },
    });
  });

  it.each(['auto', 'none', 'required'] as const)('has the tool choice %s', async (toolChoice) => {
    expect((await called({ tools: [add], toolChoice })).toolChoice).toEqual({ type: toolChoice });
  });

  it('has no more than is asked for', async () => {
    expect(Object.keys(await called({ tools: [] })).toSorted()).toEqual([
      'abortSignal',
      'includeRawChunks',
      'prompt',
    ]);
  });
});

describe('messages', () => {
  it('become a prompt', async () => {
    const prompt = await promptOf([
      { role: 'system', content: 'Speak English.' },
      { role: 'user', content: 'Add.' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Well.', metadata: { acme: { signature: 's' } } },
          { type: 'text', text: 'I add.' },
          { type: 'tool-call', id: 'a', name: 'add', input: { a: 1 }, metadata: { acme: { itemId: 'i' } } },
          { type: 'tool-call', id: 'b', name: 'add', input: {}, raw: '{"a":' },
        ],
      },
      { role: 'tool', callId: 'a', name: 'add', content: '1', data: 1 },
      { role: 'tool', callId: 'b', name: 'add', content: 'That is no JSON.', isError: true },
      {
        role: 'user',
        content: 'Thanks.',
        metadata: { acme: { cacheControl: { type: 'ephemeral' } }, memory: { a: 1 } },
      },
    ]);
    expect(prompt).toEqual([
      { role: 'system', content: 'Speak English.' },
      { role: 'user', content: [{ type: 'text', text: 'Add.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Well.', providerOptions: { acme: { signature: 's' } } },
          { type: 'text', text: 'I add.' },
          {
            type: 'tool-call',
            toolCallId: 'a',
            toolName: 'add',
            input: { a: 1 },
            providerOptions: { acme: { itemId: 'i' } },
          },
          { type: 'tool-call', toolCallId: 'b', toolName: 'add', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 'add', output: { type: 'text', value: '1' } },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'add',
            output: { type: 'error-text', value: 'That is no JSON.' },
          },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'text', text: 'Thanks.' }],
        providerOptions: { acme: { cacheControl: { type: 'ephemeral' } } },
      },
    ]);
  });

  const files: readonly MessageInput[] = [
    {
      role: 'user',
      content: [
        {
          type: 'file',
          mediaType: 'image/png',
          data: 'AQID',
          name: 'a.png',
          metadata: { anthropic: { imageDetail: 'low' } },
        },
        { type: 'file', mediaType: 'application/pdf', url: 'https://a.example/b.pdf' },
      ],
    },
    {
      role: 'tool',
      callId: 'a',
      name: 'look',
      content: [
        { type: 'text', text: 'Seen:' },
        { type: 'file', mediaType: 'image/png', data: 'AQID' },
        { type: 'file', mediaType: 'application/pdf', data: 'BAUG', name: 'b.pdf' },
        { type: 'file', mediaType: 'image/png', url: 'https://a.example/c.png' },
      ],
    },
  ];

  it('have files in the form of version 3', async () => {
    expect(await promptOf(files, { version: 'v3', provider: 'anthropic.messages' })).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'file',
            mediaType: 'image/png',
            data: 'AQID',
            filename: 'a.png',
            providerOptions: { anthropic: { imageDetail: 'low' } },
          },
          { type: 'file', mediaType: 'application/pdf', data: new URL('https://a.example/b.pdf') },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'a',
            toolName: 'look',
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'Seen:' },
                { type: 'image-data', mediaType: 'image/png', data: 'AQID' },
                { type: 'file-data', mediaType: 'application/pdf', data: 'BAUG', filename: 'b.pdf' },
                { type: 'image-url', url: 'https://a.example/c.png' },
              ],
            },
          },
        ],
      },
    ]);
  });

  it('have files in the form of version 4', async () => {
    expect(await promptOf(files, { version: 'v4', provider: 'anthropic.messages' })).toMatchObject([
      {
        content: [
          { type: 'file', data: { type: 'data', data: 'AQID' }, filename: 'a.png' },
          {
            type: 'file',
            data: {
              type: 'url',
              url: new URL('https://a.example/b.pdf'),
              originalUrl: 'https://a.example/b.pdf',
            },
          },
        ],
      },
      {
        content: [
          {
            output: {
              value: [
                { type: 'text', text: 'Seen:' },
                { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' } },
                {
                  type: 'file',
                  mediaType: 'application/pdf',
                  data: { type: 'data', data: 'BAUG' },
                  filename: 'b.pdf',
                },
                { type: 'file', data: { type: 'url', url: new URL('https://a.example/c.png') } },
              ],
            },
          },
        ],
      },
    ]);
  });

  it.each(['v3', 'v4'] as const)(
    'have what the provider takes of them and of each of their parts (%s)',
    async (version) => {
      const metadata = { anthropic: { cacheControl: { type: 'ephemeral' } } };
      const prompt = await promptOf(
        [
          { role: 'system', content: 'Speak English.', metadata },
          { role: 'user', content: [{ type: 'text', text: 'Look.', metadata }] },
          { role: 'assistant', content: [{ type: 'text', text: 'I look.', metadata }] },
          {
            role: 'tool',
            callId: 'a',
            name: 'look',
            metadata,
            content: [
              { type: 'text', text: 'Seen:', metadata },
              { type: 'file', mediaType: 'image/png', data: 'AQID', metadata },
              { type: 'file', mediaType: 'image/png', url: 'https://a.example/c.png', metadata },
            ],
          },
        ],
        { version, provider: 'anthropic.messages' },
      );
      const options = { providerOptions: metadata };
      expect(prompt).toMatchObject([
        { role: 'system', ...options },
        { role: 'user', content: [options] },
        { role: 'assistant', content: [options] },
        { role: 'tool', ...options, content: [{ output: { value: [options, options, options] } }] },
      ]);
    },
  );

  it('show files of results after all results of the step, where they cannot be inside', async () => {
    const result = (callId: string): MessageInput => ({
      role: 'tool',
      callId,
      name: 'look',
      content: [{ type: 'file', mediaType: 'image/png', data: 'AQID', name: `${callId}.png` }],
    });
    const prompt = await promptOf([result('a'), result('b'), { role: 'user', content: 'Well?' }]);
    const shown = (name: string): unknown[] => [
      { type: 'text', text: '[Files of the result of look:]' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AQID' }, filename: name },
    ];
    expect(prompt).toMatchObject([
      {
        role: 'tool',
        content: [
          { toolCallId: 'a', output: { type: 'text', value: '[a.png: see the next message]' } },
          { toolCallId: 'b', output: { type: 'text', value: '[b.png: see the next message]' } },
        ],
      },
      { role: 'user', content: [...shown('a.png'), ...shown('b.png')] },
      { role: 'user', content: [{ type: 'text', text: 'Well?' }] },
    ]);
  });

  it('have a line for a file that is not sent, and the text of a text file', async () => {
    const prompt = await promptOf([
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', url: 'hive.png' },
          {
            type: 'file',
            mediaType: 'application/json; charset=utf-8',
            data: 'eyJhIjoxfQ==',
            name: 'a.json',
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'file', mediaType: 'image/png', data: 'AQID' }] },
    ]);
    expect(prompt).toMatchObject([
      {
        content: [
          { text: '[The file hive.png (image/png) is not shown: this model does not take it.]' },
          { text: '<file name="a.json">\n{"a":1}\n</file>' },
        ],
      },
      { content: [{ text: '[The file (image/png, 1 KiB) is not shown: this model does not take it.]' }] },
    ]);
  });

  it('show a model its own pictures where it can be shown them', async () => {
    const picture = {
      role: 'assistant',
      content: [{ type: 'file', mediaType: 'image/png', data: 'AQID' }],
    } as const;
    const prompt = await promptOf([picture], { provider: 'google.generative-ai' });
    expect(prompt).toMatchObject([{ role: 'user' }, { role: 'assistant', content: [{ type: 'file' }] }]);
  });

  it('say of a call that was denied that it was', async () => {
    const denied = { by: 'hitl', reason: 'not at night' };
    const prompt = await promptOf([
      { role: 'tool', callId: 'a', name: 'rm', content: 'Denied: not at night.', isError: true, denied },
      { role: 'tool', callId: 'b', name: 'rm', content: '', isError: true, denied },
    ]);
    expect(prompt).toMatchObject([
      {
        content: [
          { output: { type: 'execution-denied', reason: 'Denied: not at night.' } },
          { output: { type: 'execution-denied', reason: 'not at night' } },
        ],
      },
    ]);
  });

  it.each([
    ['google.generative-ai', 'user'],
    ['amazon-bedrock', 'user'],
    ['openai.responses', 'system'],
  ])('of the system between others are sent to %s as those of a %s', async (provider, role) => {
    const prompt = await promptOf(
      [
        { role: 'system', content: 'First.' },
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'Later.' },
      ],
      { provider },
    );
    expect(prompt).toMatchObject([{ role: 'system', content: 'First.' }, { role: 'user' }, { role }]);
    expect(JSON.stringify(prompt)).toContain('Later.');
  });

  it('of which nothing is left are left out', async () => {
    const prompt = await promptOf([
      { role: 'system', content: ' ' },
      { role: 'assistant', content: [] },
      { role: 'assistant', content: [{ type: 'text', text: '\n\n' }] },
      { role: 'user', content: 'Hi' },
    ]);
    expect(prompt).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }]);
  });

  it('have no empty text, and no arguments that are no object: what was wrong, the result says', async () => {
    const prompt = await promptOf([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '' },
          { type: 'tool-call', id: 'a', name: 'add', input: [1] },
          { type: 'tool-call', id: 'b', name: 'add', input: 'one' },
        ],
      },
    ]);
    expect(prompt).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'a', toolName: 'add', input: {} },
          { type: 'tool-call', toolCallId: 'b', toolName: 'add', input: {} },
        ],
      },
    ]);
  });

  it('are converted once, and the results of one step are put together each time anew', async () => {
    const language = fakeLanguageModel({ stream: [finish()] });
    const model = aiSdkModel(language);
    const messages = [
      { id: 'u', role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { id: '1', role: 'tool', callId: 'a', name: 'add', content: [{ type: 'text', text: '1' }] },
      { id: '2', role: 'tool', callId: 'b', name: 'add', content: [{ type: 'text', text: '2' }] },
    ] as const;
    const call = { signal: new AbortController().signal, emit: () => {}, wantsChunks: true };
    const request = { model, instructions: '', settings: {}, messages };
    await model.generate(request, call);
    await model.generate(request, call);
    const [first, second] = language.calls;
    expect(second?.prompt).toEqual(first?.prompt);
    expect(second?.prompt[0]).toBe(first?.prompt[0]);
    expect(second?.prompt[1]?.content).toHaveLength(2);
  });
});

describe('a history that another provider has a part in', () => {
  const foreign: readonly MessageInput[] = [
    {
      role: 'assistant',
      metadata: { 'ai-sdk': { provider: 'openai.responses' } },
      content: [
        { type: 'reasoning', text: 'signed', metadata: { openai: { itemId: 'rs_1' } } },
        { type: 'reasoning', text: 'unsigned' },
        { type: 'text', text: 'Hello', metadata: { openai: { itemId: 'msg_1' } } },
        {
          type: 'tool-call',
          id: 'functions.add:0',
          name: 'add it!',
          input: [1],
          metadata: { openai: { itemId: 'fc_1' } },
        },
      ],
    },
    { role: 'tool', callId: 'functions.add:0', name: 'add it!', content: 'no' },
  ];

  it('is sent without what only that one understands', async () => {
    const prompt = await promptOf(foreign, { provider: 'anthropic.messages' });
    expect(JSON.stringify(prompt)).not.toMatch(/rs_1|msg_1|fc_1|openai|signed/);
    expect(prompt).toMatchObject([
      { role: 'user', content: [{ text: '(The conversation begins with the assistant.)' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'tool-call', toolName: 'add_it_', input: {} },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-result', toolName: 'add_it_' }] },
    ]);
  });

  it('is sent as it is to the provider that it came from', async () => {
    const [assistant] = (await promptOf(foreign, { provider: 'openai.responses' })) as CallOptions['prompt'];
    expect(assistant?.content).toMatchObject([
      { type: 'reasoning', text: 'signed', providerOptions: { openai: { itemId: 'rs_1' } } },
      { type: 'reasoning', text: 'unsigned' },
      { type: 'text', providerOptions: { openai: { itemId: 'msg_1' } } },
      { type: 'tool-call', providerOptions: { openai: { itemId: 'fc_1' } } },
    ]);
  });

  it.each([
    ['anthropic.messages', /^call_[0-9a-f]{16}$/],
    ['openai.chat', /^call_[0-9a-f]{16}$/],
    ['mistral.chat', /^[A-Za-z0-9]{9}$/],
  ])('has ids that %s takes, the same for call and result', async (provider, id) => {
    const prompt = (await promptOf(foreign, { provider })) as CallOptions['prompt'];
    const ids = prompt.flatMap(({ content }) =>
      typeof content === 'string'
        ? []
        : content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])),
    );
    expect(ids).toEqual([expect.stringMatching(id), ids[0]]);
  });

  it.each([
    ['amazon-bedrock', 'bedrock', true],
    ['amazon-bedrock', 'amazonBedrock', true],
    ['google.vertex.chat', 'vertex', true],
    ['google.vertex.chat', 'googleVertex', true],
    ['my-server.chat', 'myServer', true],
    ['my-server.chat', 'openaiCompatible', true],
    ['openai.responses', 'azure', false],
    ['anthropic.messages', '__proto__', false],
    ['anthropic.messages', 'memory', false],
  ])('to %s, metadata of "%s" is sent: %s', async (provider, key, isSent) => {
    const metadata = JSON.parse(`{ ${JSON.stringify(key)}: { "a": 1 } }`) as Record<string, { a: number }>;
    const prompt = await promptOf([{ role: 'user', content: [{ type: 'text', text: 'Hi', metadata }] }], {
      provider,
    });
    expect(JSON.stringify(prompt).includes('providerOptions')).toBe(isSent);
  });
});
