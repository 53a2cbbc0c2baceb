import { expect, it } from 'vitest';

import { scriptedModel } from '../../../testing/src/index.ts';
import { createAgent } from '../create-agent.ts';
import { definePlugin, defineTool } from '../index.ts';

/** The first line of the stack of what is thrown, as it is. */
async function topOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return /^ +at .*$/m.exec(error instanceof Error ? (error.stack ?? '') : '')?.[0] ?? 'no stack';
  }
  return 'no error';
}

// Plain JavaScript allows all of these.
const wrong = { session: 'a' } as object;

it.each<[string, () => unknown]>([
  ['createAgent', () => createAgent({ model: './m' as never })],
  ['definePlugin', () => definePlugin({ name: 'p', ...wrong })],
  ['defineTool', () => defineTool({ name: 't', description: 'T.', input: {}, execute: () => '', ...wrong })],
  ...(['run', 'resume', 'streamResume', 'stream'] as const).map((method): [string, () => unknown] => [
    `agent.${method}`,
    async () => {
      await using agent = await createAgent({ model: scriptedModel([]), log: 'silent' });
      switch (method) {
        case 'run':
          return await agent.run('Hi', wrong);
        case 'resume':
          return await agent.resume('s', {}, wrong);
        case 'stream':
          return await agent.stream('Hi', wrong).result;
        case 'streamResume':
          return await agent.streamResume('s', {}, wrong).result;
      }
    },
  ]),
])('a mistake in a call of %s begins at the caller', async (_, work) => {
  expect(await topOf(work)).toContain('at-caller.test.ts');
});
