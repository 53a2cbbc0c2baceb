import { setImmediate as tick } from 'node:timers/promises';

import { expect, it, onTestFinished, vi } from 'vitest';

import { handled } from './handled.ts';

it('a rejection that nobody awaits is not reported, and is still a rejection', async () => {
  const report = vi.fn<() => void>();
  process.on('unhandledRejection', report);
  onTestFinished(() => void process.off('unhandledRejection', report));
  const failing = Promise.reject(new Error('broken'));
  expect(handled(failing)).toBe(failing);
  await tick();
  expect(report).not.toHaveBeenCalled();
  await expect(failing).rejects.toThrow('broken');
});
