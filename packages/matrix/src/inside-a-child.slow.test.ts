import { expect, it } from 'vitest';

import { findFaultsInChild } from './find-faults-in-child.ts';
import { layerNames } from './layers.ts';
import { play } from './play.ts';

// All cases are tried by the long tests.
it.each(layerNames)('%s does what the table says inside a child', async (name) => {
  expect(await findFaultsInChild(name, ['tool error', 'interrupt', 'abort in a tool', 'crash'])).toEqual([]);
});

it.each(['model error, transient', 'model error, lasting', 'stream breaks'] as const)(
  'a child with a %s fails, and its parent completes',
  async (what) => {
    const { seen, record, events } = await play({
      what,
      plugins: () => [],
      childPlugins: [],
      isStreamed: true,
    });
    expect(seen.ends).toBe('completed');
    expect(record.run?.status).toBe('failed');
    expect(events.at(-1)).toMatchObject({ type: 'run-end', result: { outcome: 'failed' } });
  },
);
