import { afterAll, expect, it } from 'vitest';

import { randomConversation, type Conversation } from './random-conversation.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());

it(
  'no vendor refuses a request of 50 random conversations, and none blocks a session',
  { timeout: 120_000 },
  async () => {
    const conversations: Conversation[] = [];
    for (let seed = 0; seed < 50; seed += 1) conversations.push(await randomConversation(wire, seed, 'one'));
    expect(conversations.filter(({ refusals, blocked }) => refusals.length + blocked.length > 0)).toEqual([]);
    const requests = conversations.reduce((sum, each) => sum + each.requests, 0);
    expect(requests).toBeGreaterThan(200);
  },
);
