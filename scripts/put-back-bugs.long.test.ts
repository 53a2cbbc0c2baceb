import { expect, it } from 'vitest';

import { bugsToPutBack } from './bugs-to-put-back.ts';
import { runToEnd } from './run-to-end.ts';

it('the oracle finds each of 22 bugs within 500 worlds', async () => {
  expect(bugsToPutBack.length).toBeGreaterThanOrEqual(20);
  const { status, output } = await runToEnd('node', ['scripts/put-back-bugs.ts']);
  expect({ status, output }).toMatchObject({ status: 0 });
});
