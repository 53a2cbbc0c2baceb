import { type MessageInput, textOf } from '@shallot/core';
import { expect, it } from 'vitest';

import { conversation, talker } from '../test/conversation.ts';

it('Of 500,000 tokens in a context of 200,000 the writer gets every wish, in four calls at most', async () => {
  const model = talker({ contextTokens: 200_000, realContext: 200_000, say: () => 'Yes.' });
  const talk = await conversation(model, { truncateArguments: null });
  const exchanges = 500;
  // An import from elsewhere, with a wish in each message of the user.
  const history = Array.from({ length: exchanges }, (_, index): MessageInput[] => [
    {
      role: 'user',
      content: `Wish number ${index} of the user. ${'It has its reasons, and so on. '.repeat(20)}`,
    },
    { role: 'assistant', content: 'This is what was found out about it, at some length. '.repeat(70) },
  ]).flat();
  const { usage } = await talk.agent.run([...history, { role: 'user', content: 'Go on.' }], {
    sessionId: 'talk',
  });
  expect(usage.input).toBeGreaterThan(450_000);
  const inputs = model.summaryRequests.flatMap(({ messages }) => messages.map((message) => textOf(message)));
  expect(inputs.length).toBeLessThanOrEqual(4);
  const given = new Set(
    [...inputs.join('\n').matchAll(/Wish number (\d+) of/g)].map(([, wish]) => Number(wish)),
  );
  // The last ones stay in the conversation, and the writer is shown them.
  expect(given.size).toBe(exchanges);
  expect(model.requests).toHaveLength(1);
});
