import { setImmediate as tick } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { EmptyInboxes } from './empty-inboxes.ts';

it('an inbox is known to be empty for one turn of the event loop, and until something is sent', async () => {
  const empty = new EmptyInboxes();
  empty.note('a');
  empty.note('b');
  empty.forget('b');
  expect([empty.has('a'), empty.has('b'), empty.has('c')]).toEqual([true, false, false]);
  await tick();
  expect(empty.has('a')).toBe(false);
});
