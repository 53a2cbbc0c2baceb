import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { scriptedModel } from '../../../../testing/src/index.ts';
import { Frame } from '../../hooks/frame.ts';
import { Blames } from '../parts/blames.ts';
import { SilenceKeeper } from './silence-keeper.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a chunk that its consumer has taken between two checks is no silence', async () => {
  const [keeper, frame] = [new SilenceKeeper(200, 10_000), new Frame()];
  const watch = keeper.watch({ blames: new Blames() }, scriptedModel([]), frame, true);
  // Checked every 10 ms: the chunks come and are taken in between.
  for (let chunk = 0; chunk < 30; chunk += 1) {
    await watch.passed(Promise.resolve());
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(frame.closed).toBe(false);
  await vi.advanceTimersByTimeAsync(220);
  expect(frame.reason).toMatchObject({ code: 'MODEL_IDLE' });
  watch.stop();
  keeper.stop();
});
