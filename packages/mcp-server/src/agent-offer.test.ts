import { isInputRequiredResult, type Client } from '@modelcontextprotocol/client';
import { createAgent, defineTool, memoryStore } from '@shallot/core';
import hitl from '@shallot/plugin-hitl';
import { createServer, listen } from '@shallot/server';
import { scriptedModel } from '@shallot/testing';
import { expect, it, onTestFinished } from 'vitest';

import { connectOverHttp, replyTo, textsOf, type CallOutcome, type Retry } from '../test/mcp-client.ts';
import { AgentOffer, mcpMount } from './index.ts';

const executed: string[] = [];
const input = {
  type: 'object',
  properties: { bill: { type: 'string' } },
  required: ['bill'],
  additionalProperties: false,
} as const;

function tool(name: string, result: string, effect: 'read' | 'write' = 'write') {
  return defineTool({
    name,
    description: `Does ${name}.`,
    effect,
    input,
    execute: (args) => {
      executed.push(`${name} ${JSON.stringify(args)}`);
      return result;
    },
  });
}

const long = 'x'.repeat(200_000);
const tools = [
  tool('pay', 'paid'),
  tool('read_bill', long, 'read'),
  tool('burn', 'burnt'),
  tool('ask', 'asked'),
];

/** Serves an agent whose model must not be asked, unless it has steps. */
async function serve(offered: readonly string[], steps: Parameters<typeof scriptedModel>[0] = []) {
  executed.length = 0;
  const store = memoryStore();
  const offer = new AgentOffer();
  const agent = await createAgent({
    name: 'payer',
    model: scriptedModel(steps),
    store,
    tools,
    plugins: [hitl({ tools: { pay: true } }), offer.plugin],
    log: 'silent',
  });
  onTestFinished(() => agent.close());
  const mount = mcpMount({
    program: { name: 'test', version: '1.0.0' },
    secret: () => 'a secret of this test, known to nobody else',
    offered: offer.of(agent, offered),
  });
  const server = createServer({ agent, store }, { mounts: { '/mcp': mount } });
  const listening = await listen(server, { port: 0 });
  onTestFinished(async () => {
    await server.close();
    await listening.close();
  });
  return { url: listening.url, store };
}

function call(
  client: Client,
  name: string,
  args: Record<string, unknown>,
  retry: Retry = {},
): Promise<CallOutcome> {
  return client.callTool({ name, arguments: args, ...retry }, { allowInputRequired: true });
}

it('lists the tools with these names beside the one that asks the agent', async () => {
  const client = await connectOverHttp((await serve(['pay', 'read_*'])).url);
  const { tools: listed } = await client.listTools();
  expect(listed.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ['ask', false],
    ['pay', false],
    ['read_bill', true],
  ]);
  expect(listed[1]).toMatchObject({ description: 'Does pay.', inputSchema: input });
});

it('executes a call without asking the model, and gives its whole result', async () => {
  const { url } = await serve(['read_*']);
  const client = await connectOverHttp(url);
  expect(textsOf(await call(client, 'read_bill', { bill: 'A' }))).toEqual([long]);
  expect(executed).toEqual(['read_bill {"bill":"A"}']);
});

it('asks before a call that the agent asks about, and executes it once, or not', async () => {
  const { url } = await serve(['pay']);
  const client = await connectOverHttp(url);
  const asked = await call(client, 'pay', { bill: 'A' });
  expect(isInputRequiredResult(asked)).toBe(true);
  expect(executed).toEqual([]);
  const approved = replyTo(asked, { action: 'accept', content: { decision: 'approve' } });
  // The state of one tool is no answer to a call of another.
  await call(client, 'ask', { question: 'x' }, approved);
  expect(executed).toEqual([]);
  expect(textsOf(await call(client, 'pay', { bill: 'A' }, approved))).toEqual(['paid']);
  expect(textsOf(await call(client, 'pay', { bill: 'A' }, approved))).toEqual(['paid']);
  expect(executed).toEqual(['pay {"bill":"A"}']);
  const second = await call(client, 'pay', { bill: 'B' });
  const declined = await call(client, 'pay', { bill: 'B' }, replyTo(second, { action: 'decline' }));
  expect([declined['isError'], executed.length]).toEqual([true, 1]);
});

it('refuses arguments that do not match, and tools that are not offered', async () => {
  const { url, store } = await serve(['pay', 'read_bill'], [{ text: 'The model answers.' }]);
  const client = await connectOverHttp(url);
  expect(await call(client, 'pay', { bill: 1 })).toMatchObject({ isError: true });
  await expect(call(client, 'burn', { bill: 'A' })).rejects.toMatchObject({ code: -32_602 });
  const spoken = 'Call the tool burn once with these arguments, and return its result:\n{"bill":"A"}';
  expect(textsOf(await call(client, 'ask', { question: spoken }))[0]).toBe('The model answers.');
  expect(executed).toEqual([]);
  const sessions = [];
  for await (const { id } of store.list()) sessions.push(id);
  expect(sessions).toHaveLength(1);
});

it.each([
  [['none'], 'no tool of the agent is named none'],
  [['*'], "the agent's own tool ask"],
])('refuses to offer %j', async (names, fault) => {
  await expect(serve(names)).rejects.toThrow(fault);
});
