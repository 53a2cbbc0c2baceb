import { expect, it, onTestFinished, vi } from 'vitest';

import { mostInTick, Ticks } from './ticks.ts';

// Resetting modules leaves a second copy of them behind, which other tests must not meet.
it('lets others in although a test had put its own timers in place before the module was loaded', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  vi.resetModules();
  const loaded = await import('./ticks.ts');
  expect(loaded.Ticks).not.toBe(Ticks);
  const ticks = new loaded.Ticks();
  for (let index = 0; index < mostInTick; index += 1) void ticks.begin();
  for (let index = 0; index < mostInTick; index += 1) ticks.end();
  await ticks.begin();
  ticks.end();
});
