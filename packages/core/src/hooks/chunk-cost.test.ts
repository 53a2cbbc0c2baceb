import { expect, it, onTestFinished, vi } from 'vitest';

import { scriptedModel } from '../../../testing/src/scripted-model.ts';
import { definePlugin } from '../contract/define-plugin.ts';
import { createAgent } from '../create-agent.ts';
import { Frame } from './frame.ts';

const chunks = 50;

/** Returns how often a stream through layers of plain functions asks frames for their state. */
async function lookups(layers: number): Promise<number> {
  const plugins = Array.from({ length: layers }, (_, index) =>
    definePlugin({
      name: `layer-${index}`,
      wrapModelCall: (request, next, { emit }) => next(request, { emit: (chunk) => emit?.(chunk) }),
    })(),
  );
  const model = scriptedModel([{ chunks: Array.from({ length: chunks }, () => 'x') }]);
  const agent = await createAgent({ model, plugins, log: 'silent' });
  const spies = (['over', 'settled'] as const).map((state) => vi.spyOn(Frame.prototype, state, 'get'));
  const { text } = await agent.stream('Go').result;
  const looks = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  for (const spy of spies) spy.mockRestore();
  await agent.close();
  expect(text).toBe('x'.repeat(chunks));
  return looks;
}

it('a chunk costs each layer the same, however many there are', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const [few, many] = [await lookups(10), await lookups(40)];
  expect(few).toBeGreaterThan(chunks * 10);
  expect(many / few).toBeLessThan(4.2);
});
