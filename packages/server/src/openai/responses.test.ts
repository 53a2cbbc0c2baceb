import { defineTool, textOf } from '@shallot/core';
import type { ResponseInputItem, Response } from 'openai/resources/responses/responses';
import { expect, test } from 'vitest';

import { owners, serveOpenAi } from '../../test/openai-server.ts';

const ask = { model: 'shop', input: 'Hi' };

const weather = {
  type: 'function' as const,
  name: 'weather',
  description: 'Returns the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
};

const decisions = {
  type: 'object',
  properties: { decision: { enum: ['approve', 'reject'] } },
  required: ['decision'],
} as const;

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object', properties: { euros: { type: 'number' } } },
  async execute({ euros }, { interrupt }) {
    const answer = await interrupt({ kind: 'approval', payload: { euros }, answer: decisions });
    return { answer, euros };
  },
});

/** The tools of the agent, as a client lists them that can approve their calls. */
const own = { type: 'mcp' as const, server_label: 'shop', server_url: 'http://localhost' };

function resultsFor({ output }: Response, result: string): ResponseInputItem[] {
  return output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: result }]
      : [],
  );
}

test('a response comes whole, is streamed alike, and is read again', async () => {
  const answer = { reasoning: 'Hm.', text: 'Hello there', usage: { input: 3, output: 4, total: 7 } };
  const { client } = await serveOpenAi([answer, answer]);
  const whole = await client.responses.create(ask);
  expect(whole).toMatchObject({
    status: 'completed',
    model: 'shop',
    output_text: 'Hello there',
    usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
  });
  const deltas: string[] = [];
  const streamed = await client.responses
    .stream(ask)
    .on('response.output_text.delta', ({ delta }) => deltas.push(delta))
    .finalResponse();
  expect(deltas.join('')).toBe('Hello there');
  expect(streamed.output.map(({ type }) => type)).toEqual(whole.output.map(({ type }) => type));
  expect(streamed.output_text).toBe('Hello there');
  expect(await client.responses.retrieve(whole.id)).toMatchObject({ id: whole.id, output: whole.output });
  await expect(client.responses.retrieve('resp_other')).rejects.toMatchObject({ status: 404 });
});

test('the last response goes on in its session, and an earlier one in a fork of it', async () => {
  const { client, model, store } = await serveOpenAi(
    ['One', 'Two', 'Other', 'Third'].map((text) => ({ text })),
  );
  const first = await client.responses.create({ ...ask, instructions: 'Be short.' });
  const second = await client.responses.create({
    model: 'shop',
    input: 'And?',
    previous_response_id: first.id,
  });
  const other = await client.responses.create({
    model: 'shop',
    input: 'Or?',
    previous_response_id: first.id,
  });
  await client.responses.create({ model: 'shop', input: 'Then?', previous_response_id: second.id });
  const texts = model.requests.map(({ messages }) => messages.map(textOf));
  expect(texts[0]?.[0]).toContain('Be short.');
  expect(texts.slice(1).map((each) => each.slice(1))).toEqual([
    ['One', 'And?'],
    ['One', 'Or?'],
    ['One', 'And?', 'Two', 'Then?'],
  ]);
  expect([second.previous_response_id, other.output_text]).toEqual([first.id, 'Other']);
  const ids: string[] = [];
  for await (const { id } of store.list()) ids.push(id);
  expect(ids).toHaveLength(2);
  // Later turns change nothing of an earlier response.
  expect((await client.responses.retrieve(first.id)).output_text).toBe('One');
});

test('calls of the tools of a request come back with their results, in a response of their own', async () => {
  const calls = ['Oslo', 'Bergen'].map((city) => ({ name: 'weather', args: { city } }));
  const { client, model } = await serveOpenAi([{ text: 'Both.', toolCalls: calls }, { text: 'Rain.' }]);
  const asked = await client.responses.stream({ ...ask, tools: [weather] }).finalResponse();
  expect(asked).toMatchObject({
    status: 'completed',
    output: [
      { type: 'message', content: [{ text: 'Both.' }] },
      { type: 'function_call', name: 'weather', arguments: '{"city":"Oslo"}' },
      { type: 'function_call', name: 'weather', arguments: '{"city":"Bergen"}' },
    ],
  });
  const results = resultsFor(asked, 'Wet');
  await expect(client.responses.create({ ...ask, input: results.slice(1) })).rejects.toThrow(
    '2 calls wait for their results, and 1 came',
  );
  const next = { model: 'shop', input: results, previous_response_id: asked.id };
  const answered = await client.responses.create(next);
  expect(answered).toMatchObject({
    status: 'completed',
    output_text: 'Rain.',
    previous_response_id: asked.id,
  });
  expect(answered.id).not.toBe(asked.id);
  expect(model.requests[1]?.messages.slice(-2).map(textOf)).toEqual(['Wet', 'Wet']);
  // The same results again begin nothing, and the first response stays as it was.
  expect((await client.responses.create(next)).output).toEqual(answered.output);
  const again = await client.responses.retrieve(asked.id);
  expect(again.output.map(({ type }) => type)).toEqual(['message', 'function_call', 'function_call']);
});

test('a client that lists the tools of the agent approves their calls, and sees their results', async () => {
  const calls = [1, 2].map((euros) => ({ name: 'pay', args: { euros } }));
  const { client } = await serveOpenAi([{ text: 'I pay.', toolCalls: calls }, { text: 'Paid.' }], {
    tools: [pay],
  });
  const asked = await client.responses.create({ ...ask, tools: [own] });
  const requests = asked.output.filter((item) => item.type === 'mcp_approval_request');
  expect(requests).toMatchObject([
    { name: 'pay', server_label: 'shop', arguments: '{"euros":1}' },
    { name: 'pay', arguments: '{"euros":2}' },
  ]);
  const input = requests.map(({ id }, index) => ({
    type: 'mcp_approval_response' as const,
    approval_request_id: id,
    approve: index === 0,
  }));
  const send = { model: 'shop', input, previous_response_id: asked.id };
  const paid = await client.responses.stream(send).finalResponse();
  expect(paid.output).toMatchObject([
    { type: 'mcp_call', name: 'pay', output: '{"answer":{"decision":"approve"},"euros":1}' },
    { type: 'mcp_call', output: '{"answer":{"decision":"reject"},"euros":2}' },
    { type: 'message' },
  ]);
  // Sent again, the answers are those of before.
  expect((await client.responses.create(send)).output_text).toBe('Paid.');
  await expect(
    client.responses.create({ ...ask, tools: [{ ...own, server_label: 'other' }] }),
  ).rejects.toThrow(/no MCP servers/);
});

test('a question that a client cannot be asked fails its response, and says where to answer', async () => {
  const { client, url } = await serveOpenAi([{ toolCalls: [{ name: 'pay' }] }, { text: 'Paid.' }], {
    tools: [pay],
  });
  const failed = await client.responses.create(ask);
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'SESSION_INTERRUPTED' } });
  const [, path] = /\(POST (\S+)\)/.exec(failed.error?.message ?? '') ?? [];
  await fetch(`${url}${path}?wait=30`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ answer: { decision: 'approve' } }),
  });
  // The same response has the answer then.
  expect(await client.responses.retrieve(failed.id)).toMatchObject({
    status: 'completed',
    output_text: 'Paid.',
  });
});

test('an answer matches the schema of the request', async () => {
  const json = '{"city":"Oslo"}';
  const steps = [{ text: 'I pay.', toolCalls: [{ name: 'look' }] }, { text: json }];
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    execute: () => 'seen',
  });
  const { client } = await serveOpenAi([...steps, ...steps], { tools: [look] });
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const text = { format: { type: 'json_schema' as const, name: 'place', schema } };
  expect((await client.responses.create({ ...ask, text })).output_text).toBe(json);
  expect((await client.responses.stream({ ...ask, text }).finalResponse()).output_text).toBe(json);
});

test('a response in progress is read as it is, and followed', async () => {
  const began = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: { type: 'object' },
    async execute() {
      began.resolve();
      await release.promise;
      return 'over';
    },
  });
  const { client } = await serveOpenAi(
    [{ text: 'I wait.', toolCalls: [{ name: 'wait' }] }, { text: 'Done.' }],
    {
      tools: [wait],
    },
  );
  const events = await client.responses.create({ ...ask, stream: true });
  let id = '';
  for await (const event of events) {
    if (event.type === 'response.created') id = event.response.id;
    if (event.type === 'response.output_item.done') break;
  }
  await began.promise;
  expect(await client.responses.retrieve(id)).toMatchObject({
    status: 'in_progress',
    output_text: 'I wait.',
  });
  const followed = client.responses.stream({ response_id: id });
  followed.on('response.output_item.done', () => release.resolve());
  expect((await followed.finalResponse()).output_text).toBe('I wait.Done.');
});

test('nobody reads, answers or continues the responses of another owner', async () => {
  const calls = [{ name: 'weather' }];
  const { client, clientOf, model } = await serveOpenAi([{ toolCalls: calls }], {
    options: { auth: owners },
  });
  const asked = await client.responses.create({ ...ask, tools: [weather] });
  const bob = clientOf('bob');
  const missing = { status: 404, code: 'SESSION_NOT_FOUND' };
  await expect(bob.responses.retrieve(asked.id)).rejects.toMatchObject(missing);
  await expect(bob.responses.create({ ...ask, previous_response_id: asked.id })).rejects.toMatchObject(
    missing,
  );
  await expect(bob.responses.create({ ...ask, input: resultsFor(asked, 'Wet') })).rejects.toMatchObject(
    missing,
  );
  expect(model.requests).toHaveLength(1);
});
