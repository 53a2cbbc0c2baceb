import { afterAll, expect, it } from 'vitest';

import { randomConversation, type Conversation } from './random-conversation.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());

// Many more are tried by the long tests.
it('no vendor refuses a request of some random conversations, and none blocks a session', async () => {
  const conversations: Conversation[] = [];
  for (let seed = 0; seed < 8; seed += 1) conversations.push(await randomConversation(wire, seed, 'one'));
  expect(conversations.filter(({ refusals, blocked }) => refusals.length + blocked.length > 0)).toEqual([]);
  const requests = conversations.reduce((sum, each) => sum + each.requests, 0);
  expect(requests).toBeGreaterThan(30);
});
