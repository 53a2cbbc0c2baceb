import { createAgent, defineTool, memoryStore } from '@shallot/core';
import { scriptedModel } from '@shallot/testing';
import { expect, it } from 'vitest';

import redaction from './index.ts';

it('what the root redacts, a child redacts alike, and its tools get the originals', async () => {
  const sent: unknown[] = [];
  const send = defineTool({
    name: 'send',
    description: 'Sends.',
    input: { type: 'object', properties: { to: { type: 'string' } } },
    execute(args) {
      sent.push(args);
      return 'Sent, with a copy to bob@example.org.';
    },
  });
  const worker = scriptedModel([
    ({ messages }) => ({
      toolCalls: [{ name: 'send', args: { to: textIn(messages).slice('Write to '.length) } }],
    }),
    { text: 'It is sent.' },
  ]);
  const delegate = defineTool({
    name: 'delegate',
    description: 'Delegates.',
    input: { type: 'object', properties: { prompt: { type: 'string' } } },
    effect: 'idempotent',
    async execute(args, { child }) {
      return (
        await child({
          agent: { name: 'worker', model: worker },
          prompt: (args as { readonly prompt: string }).prompt,
        })
      ).text;
    },
  });
  const store = memoryStore();
  const agent = await createAgent({
    model: scriptedModel([
      ({ messages }) => ({ toolCalls: [{ name: 'delegate', args: { prompt: textIn(messages) } }] }),
      { text: 'Done.' },
    ]),
    tools: [send, delegate],
    plugins: [redaction()],
    store,
    log: 'silent',
  });
  await agent.run('Write to anna@example.org', { sessionId: 's' });
  expect(sent).toEqual([{ to: 'anna@example.org' }]);
  const asked = JSON.stringify(worker.requests.map(({ messages }) => messages));
  expect(asked).not.toContain('@example.org');
  for await (const { id } of store.list({ parent: 's' }))
    expect(JSON.stringify(await store.load(id))).not.toContain('@example.org');
  expect(JSON.stringify(await store.load('s'))).not.toContain('@example.org');
});

function textIn(messages: readonly { readonly content: readonly object[] }[]): string {
  const [part] = messages.at(-1)?.content ?? [];
  return part !== undefined && 'text' in part ? String(part.text) : '';
}
