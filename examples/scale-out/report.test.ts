import { createAgent, memoryStore } from '@shallot/core';
import { memoryFiles } from '@shallot/core/files';
import { expect, test } from 'vitest';

import { writeEntry } from './ledger.ts';
import offlineModel from './offline-model.ts';
import { makeReport } from './report.ts';
import { charge, reserve, ship } from './tools/shop.ts';

test('the report finds what was lost, repeated or asked twice', async () => {
  const [store, files, sessionId] = [memoryStore(), memoryFiles(), 'order-1'];
  const agent = await createAgent({ model: offlineModel, store, files, tools: [reserve, charge, ship] });
  const { messages } = await agent.run('Honey and candles.', { sessionId });
  await agent.close();
  const ids = messages.map(({ id }) => id);
  const receipt = { sessionId, outcome: 'completed', messages: ids, questions: ['int_1'] } as const;
  expect(await makeReport([receipt], { store, files })).toMatchObject({
    faults: [],
    lines: {
      1: '- 4 tool calls have one result each. 0 were in progress when their worker was killed, and were executed again.',
    },
  });

  const seen = { ...receipt, messages: ids.slice(1), questions: ['int_1', 'int_1'] };
  const [call] = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
  await writeEntry(files, { sessionId, callId: call ?? '', done: 'reserved 2 × honey' });
  await writeEntry(files, { sessionId, callId: 'gone', done: 'shipped' });
  expect(await makeReport([seen], { store, files })).toEqual({
    lines: [],
    faults: [
      'order-1: it asked 2 times',
      'order-1: the customer saw other messages than there are on record',
      `order-1: ${call} was executed after its result`,
      'order-1: the result of gone was lost',
    ],
  });
});
