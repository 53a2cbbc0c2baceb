import { definePlugin, defineTool, memoryStore, textOf } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { expect, test } from 'vitest';

import { owners, serveOpenAi } from '../../test/openai-server.ts';

const ask = { model: 'shop', messages: [{ role: 'user' as const, content: 'Hi' }] };

const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'Returns the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
};

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  input: { type: 'object', properties: {} },
  execute: () => 'seen',
});

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object', properties: {} },
  async execute(_, { interrupt }) {
    await interrupt({ kind: 'approval', payload: {}, answer: { type: 'boolean' } });
    return 'paid';
  },
});

test('the agent is the only model', async () => {
  const { client } = await serveOpenAi([]);
  expect((await client.models.list()).data).toMatchObject([{ id: 'shop', owned_by: 'shallot' }]);
  const other = client.chat.completions.create({ ...ask, model: 'gpt' });
  await expect(other).rejects.toMatchObject({ status: 404, code: 'server/NOT_FOUND' });
});

test('an answer comes whole, with its usage', async () => {
  const { client } = await serveOpenAi([{ text: 'Hello', usage: { input: 3, output: 4, total: 7 } }]);
  const completion = await client.chat.completions.create(ask);
  expect(completion).toMatchObject({
    object: 'chat.completion',
    model: 'shop',
    choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  });
});

test('a stream has the texts of all steps, and the usage where it is asked for', async () => {
  const steps = [{ text: 'I look.', toolCalls: [{ name: 'look' }] }, { text: 'Nothing.' }];
  const { client } = await serveOpenAi([...steps, ...steps], { tools: [look] });
  const whole = await client.chat.completions.create(ask);
  const streamed = client.chat.completions.stream({ ...ask, stream_options: { include_usage: true } });
  expect(await streamed.finalContent()).toBe('I look.\n\nNothing.');
  expect(whole.choices[0]?.message.content).toBe('I look.\n\nNothing.');
  expect(await streamed.totalUsage()).toMatchObject(whole.usage ?? {});
});

test('earlier turns are one text before the last message', async () => {
  const { client, model } = await serveOpenAi([{ text: 'Hello' }]);
  await client.chat.completions.create({
    model: 'shop',
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'I am Ann.' },
      { role: 'assistant', content: 'Hello Ann.' },
      {
        role: 'user',
        content: [{ type: 'text', text: 'Who am I?' }],
      },
    ],
  });
  const [message, ...more] = model.requests[0]?.messages ?? [];
  expect(more).toEqual([]);
  expect(message?.content).toHaveLength(2);
  expect(message?.content.at(-1)).toMatchObject({ text: 'Who am I?' });
  expect(message && textOf(message)).toContain('<message from="assistant">\nHello Ann.\n</message>');
  expect(message && textOf(message)).toContain('Be short.');
});

test('calls of the tools of a request come back with their results, to the run that waits', async () => {
  const cities = ['Oslo', 'Bergen'];
  const { client, model } = await serveOpenAi(
    [
      {
        text: 'Both.',
        toolCalls: [...cities.map((city) => ({ name: 'weather', args: { city } })), { name: 'look' }],
      },
      { text: 'Rain and rain.' },
    ],
    { tools: [look], options: { auth: owners } },
  );
  const asked = await client.chat.completions.stream({ ...ask, tools: [weather] }).finalChatCompletion();
  const [choice] = asked.choices;
  expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: 'Both.' } });
  const calls = choice?.message.tool_calls ?? [];
  expect(calls).toMatchObject(
    cities.map((city) => ({ function: { name: 'weather', arguments: JSON.stringify({ city }) } })),
  );
  const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'Rain' }));
  const message = choice?.message ?? { role: 'assistant' as const };
  const next = { ...ask, tools: [weather], messages: [...ask.messages, message, ...results] };
  const answered = await client.chat.completions.create(next);
  expect(answered.choices).toMatchObject([{ finish_reason: 'stop', message: { content: 'Rain and rain.' } }]);
  expect(answered.id).toBe(asked.id);
  const sent = model.requests[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(sent.map(textOf)).toEqual(['Rain', 'Rain', 'seen']);
  // The same results again begin nothing.
  expect(await client.chat.completions.create(next)).toEqual(answered);
});

test('results that fit no call are refused', async () => {
  const script = [{ toolCalls: [{ name: 'weather' }, { name: 'weather' }] }];
  const { client, clientOf } = await serveOpenAi(script, { options: { auth: owners } });
  const asked = await client.chat.completions.create({ ...ask, tools: [weather] });
  const [choice] = asked.choices;
  const message = choice?.message ?? { role: 'assistant' as const };
  const send = (who: typeof client, ...ids: (string | undefined)[]): Promise<unknown> => {
    const results = ids.map((id = '') => ({ role: 'tool' as const, tool_call_id: id, content: '5' }));
    return who.chat.completions.create({ ...ask, messages: [...ask.messages, message, ...results] });
  };
  const [first, second] = (choice?.message.tool_calls ?? []).map(({ id }) => id);
  await expect(send(client, 'call_1')).rejects.toMatchObject({ status: 400, code: 'server/REQUEST_INVALID' });
  await expect(send(client, first)).rejects.toThrow('2 calls wait for their results, and 1 came');
  const forged = `${first?.slice(0, -1)}${first?.endsWith('A') === true ? 'B' : 'A'}`;
  await expect(send(client, forged, second)).rejects.toMatchObject({ code: 'INTERRUPT_UNKNOWN' });
  await expect(send(clientOf('bob'), first, second)).rejects.toMatchObject({
    status: 404,
    code: 'SESSION_NOT_FOUND',
    type: 'invalid_request_error',
  });
  await expect(send(clientOf('eve'), first, second)).rejects.toMatchObject({
    status: 401,
    code: 'server/UNAUTHENTICATED',
    type: 'authentication_error',
  });
});

test('a tool with the name of one of the agent is refused', async () => {
  const { client } = await serveOpenAi([], { tools: [look] });
  const tools = [{ ...weather, function: { ...weather.function, name: 'look' } }];
  await expect(client.chat.completions.create({ ...ask, tools })).rejects.toThrow(/the name of another one/);
  const bad = [{ ...weather, function: { name: 'a b' } }];
  await expect(client.chat.completions.create({ ...ask, tools: bad })).rejects.toMatchObject({ status: 400 });
});

test('an answer matches the schema of the request', async () => {
  const json = '{"city":"Oslo"}';
  const steps = [{ text: 'Looking.', toolCalls: [{ name: 'look' }] }, { text: json }];
  const { client } = await serveOpenAi([...steps, ...steps], { tools: [look] });
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const format = { type: 'json_schema' as const, json_schema: { name: 'place', schema } };
  const whole = await client.chat.completions.create({ ...ask, response_format: format });
  expect(whole.choices[0]?.message.content).toBe(json);
  const streamed = client.chat.completions.stream({ ...ask, response_format: format });
  expect(await streamed.finalContent()).toBe(json);
});

test('an answer that begins again goes on where it is the same, and else is an error', async () => {
  let first = 'Pai';
  let shown = Promise.withResolvers<void>();
  const broken = definePlugin({
    name: 'broken',
    async wrapModelCall(request, next, { emit }) {
      await emit?.({ type: 'text-delta', index: 0, text: first });
      await shown.promise;
      await emit?.({ type: 'restart' });
      return next(request);
    },
  });
  const { client } = await serveOpenAi([{ text: 'Paid.' }, { text: 'Paid.' }], { plugins: [broken()] });
  const read = async (): Promise<string | null> => {
    shown = Promise.withResolvers();
    return client.chat.completions
      .stream(ask)
      .on('content', () => shown.resolve())
      .finalContent();
  };
  expect(await read()).toBe('Paid.');
  first = 'Sold';
  await expect(read()).rejects.toMatchObject({ code: 'server/ANSWER_CHANGED' });
});

test('a question that cannot be asked is an error that says where to answer it', async () => {
  const step = { text: 'I pay.', toolCalls: [{ name: 'pay' }] };
  const { client, model, url } = await serveOpenAi([step, step, { text: 'Paid.' }], { tools: [pay] });
  const refused: unknown = await client.chat.completions.create(ask).catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 409, code: 'SESSION_INTERRUPTED' });
  // The client has not sent the request again.
  expect(model.requests).toHaveLength(1);
  await expect(client.chat.completions.stream(ask).finalContent()).rejects.toMatchObject({
    code: 'SESSION_INTERRUPTED',
  });
  const [, path] = /\(POST (\S+)\)/.exec(String(refused)) ?? [];
  const answered = await fetch(`${url}${path}?wait=30`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ answer: true }),
  });
  expect(await answered.json()).toMatchObject({ status: 'completed', text: 'Paid.' });
});

test('a run that fails is an error with its code', async () => {
  const { client, model } = await serveOpenAi([{ error: new Error('down') }, { error: new Error('down') }]);
  const failed = { code: 'MODEL_FAILED', type: 'server_error' };
  await expect(client.chat.completions.create(ask)).rejects.toMatchObject({ ...failed, status: 500 });
  await expect(client.chat.completions.stream(ask).finalContent()).rejects.toMatchObject(failed);
  expect(model.requests).toHaveLength(2);
});

test('a client that leaves stops its run', async () => {
  const began = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: { type: 'object', properties: {} },
    async execute() {
      began.resolve();
      await release.promise;
      return 'over';
    },
  });
  const step = { text: 'I wait.', toolCalls: [{ name: 'wait' }] };
  const stopped = Promise.withResolvers<void>();
  const kept = memoryStore();
  const requestStop: Store['requestStop'] = async (id) => {
    const isMarked = await kept.requestStop(id);
    stopped.resolve();
    return isMarked;
  };
  const store = new Proxy(kept, {
    get(target, key) {
      const member: unknown = key === 'requestStop' ? requestStop : Reflect.get(target, key, target);
      const bound: unknown = typeof member === 'function' ? member.bind(target) : member;
      return bound;
    },
  });
  const { client } = await serveOpenAi([step, { text: 'Never.' }], { tools: [wait], store });
  const stream = client.chat.completions.stream(ask);
  await began.promise;
  stream.abort();
  await expect(stream.finalContent()).rejects.toThrow(/abort/i);
  await stopped.promise;
  release.resolve();
  const statuses = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { status } of store.list()) found.push(status);
    return found;
  };
  await expect.poll(statuses).toEqual(['aborted']);
});

test('a body that is no request is refused in the form of OpenAI', async () => {
  const { client, url } = await serveOpenAi([]);
  const messages = [{ role: 'assistant' as const, content: 'Hi' }];
  await expect(client.chat.completions.create({ ...ask, messages })).rejects.toMatchObject({
    status: 400,
    error: { code: 'server/REQUEST_INVALID', type: 'invalid_request_error', param: null },
  });
  await expect(client.chat.completions.create({ ...ask, logprobs: true })).rejects.toThrow(/logprobs/);
  const lost = await fetch(`${url}/v1/embeddings`);
  expect(lost.status).toBe(404);
  expect(await lost.json()).toMatchObject({ error: { code: 'server/NOT_FOUND' } });
});
