import { createAgent, memoryStore } from '@shallot/core';
import { createServer } from '@shallot/server';
import { scriptedModel } from '@shallot/testing';
import { expect, it, onTestFinished } from 'vitest';

import { converse } from './converse.ts';
import { ServerClient } from './server-client.ts';

it('gives its input to a run that another call has begun in the session meanwhile', async () => {
  const store = memoryStore();
  const release = Promise.withResolvers<void>();
  const slow = async () => {
    await release.promise;
    return { text: 'One.' };
  };
  const model = scriptedModel([{ text: 'Hello.' }, slow, { text: 'Both.' }]);
  const agent = await createAgent({ name: 'payer', model, store });
  const server = createServer({ agent, store });
  onTestFinished(async () => {
    await server.close();
    await agent.close();
  });
  const fetch = server.as({});
  const run = (input: string): Request =>
    new Request('http://localhost/sessions/s/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input }),
    });
  let isFirst = false;
  const client = new ServerClient(async (asked) => {
    if (isFirst && asked.url.endsWith('/runs')) {
      isFirst = false;
      await fetch(run('Other'));
    }
    const response = await fetch(asked);
    if (asked.url.endsWith('/messages')) release.resolve();
    return response;
  });
  const following = { onEvent: () => undefined, signal: new AbortController().signal };
  const turn = { client, newId: () => 's', replies: undefined, following };
  await converse({ ...turn, sessionId: undefined, body: { input: 'Hi' } });
  isFirst = true;
  const { run: end } = await converse({ ...turn, sessionId: 's', body: { input: 'And?' } });
  expect(end).toMatchObject({ status: 'completed', text: 'Both.' });
});
