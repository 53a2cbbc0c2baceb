import { afterAll, expect, it } from 'vitest';

import { isThorough } from '../../../../scripts/is-thorough.ts';
import { randomConversation, type Conversation } from './random-conversation.ts';
import { startWire } from './wire-server.ts';

const wire = await startWire();
afterAll(() => wire[Symbol.asyncDispose]());

const conversations = isThorough ? 2000 : 400;

it(`no vendor refuses a request of ${conversations} random conversations, and none blocks a session`, async () => {
  const faulty: Conversation[] = [];
  for (let seed = 0; seed < conversations; seed += 1) {
    const conversation = await randomConversation(wire, seed, 'all');
    if (conversation.refusals.length + conversation.blocked.length > 0) faulty.push(conversation);
  }
  expect(faulty).toEqual([]);
});
