import { expect, it } from 'vitest';

import { scriptedModel } from '../../../../testing/src/scripted-model.ts';
import { ShallotError } from '../../base/errors.ts';
import { createAgent } from '../../create-agent.ts';
import { memoryStore } from './memory-store.ts';

it('says at the start of an agent what its store warns of', async () => {
  const warning = new ShallotError('STORE_SLOW', { message: 'The disk is slow.' });
  const lines: string[] = [];
  await using agent = await createAgent({
    model: scriptedModel([]),
    store: { ...memoryStore(), warnings: [warning] },
    logStream: { write: (line: string) => void lines.push(line) },
  });
  expect(agent.warnings).toEqual([warning]);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ code: 'STORE_SLOW', msg: 'The disk is slow.' }),
  ]);
});
