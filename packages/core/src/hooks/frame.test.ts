import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { expect, it } from 'vitest';

import { Frame } from './frame.ts';

it('a settled frame keeps nothing of what it would call when it is closed', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const frames = [new Frame(), new Frame()];
  const held = frames.map((frame) => {
    const work = { of: 'a run' };
    frame.onClose(() => void work.of);
    return new WeakRef(work);
  });
  frames[0]?.settle();
  await turn();
  collect();
  expect(held.map((each) => each.deref())).toEqual([undefined, { of: 'a run' }]);
});
