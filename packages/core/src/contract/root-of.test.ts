import { expect, it } from 'vitest';

import { rootOf } from './root-of.ts';

it('the root of a tree of runs is the run that no call began', () => {
  const top = { runId: 'r1', sessionId: 's1', callId: 'c1', tool: 't', agent: 'a', step: 1 };
  const middle = { runId: 'r2', sessionId: 's2', callId: 'c2', tool: 't', agent: 'a', step: 1, parent: top };
  expect(rootOf({ id: 'r3', sessionId: 's3', parent: undefined })).toEqual({ runId: 'r3', sessionId: 's3' });
  expect(rootOf({ id: 'r3', sessionId: 's3', parent: top })).toMatchObject({ runId: 'r1', sessionId: 's1' });
  expect(rootOf({ id: 'r3', sessionId: 's3', parent: middle })).toMatchObject({
    runId: 'r1',
    sessionId: 's1',
  });
});
