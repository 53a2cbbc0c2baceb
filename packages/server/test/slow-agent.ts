import { setImmediate as tick } from 'node:timers/promises';

import { createAgent, defineTool, type Agent } from '@shallot/core';
import type { Store } from '@shallot/core/store';
import { scriptedModel } from '@shallot/testing';

/** Creates an agent whose run has `steps` steps. Each streams a text and calls a tool that reports its progress. */
export function slowAgent(store: Store, steps: number): Promise<Agent> {
  const look = defineTool({
    name: 'look',
    description: 'Looks around.',
    input: { type: 'object', properties: {} },
    async execute(_, { progress }) {
      for (let count = 0; count < 3; count += 1) {
        await progress({ count });
        await tick();
      }
      return 'nothing';
    },
  });
  const script = Array.from({ length: steps }, (_, step) => ({
    text: `Step ${step} looks at several things, one after the other.`,
    ...(step === steps - 1 ? {} : { toolCalls: [{ name: 'look' }] }),
  }));
  return createAgent({ name: 'slow', model: scriptedModel(script), store, tools: [look] });
}
