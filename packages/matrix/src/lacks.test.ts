import { isShallotError } from '@shallot/core';
import { expect, it } from 'vitest';

import manifest from '../package.json' with { type: 'json' };
import type { Lack } from './lack.ts';
import { lacks } from './lacks.ts';
import { witness } from './witness.ts';

it('every plugin has a row', () => {
  const plugins = Object.keys(manifest.devDependencies).flatMap((name) => name.split('plugin-')[1] ?? []);
  expect(new Set(lacks.map(({ plugin }) => plugin))).toEqual(new Set(plugins));
});

it.each(lacks)('$plugin without $lacks: $outcome', async (lack) => {
  expect(await outcomeOf(lack)).toBe(lack.outcome);
});

/** Returns the outcome, in the words of the table. */
async function outcomeOf({ agent, isPerEvent, holds }: Lack): Promise<string> {
  try {
    const seen = await witness(agent());
    if (holds?.(seen) !== true) return `does not do what it is there for: ${JSON.stringify(seen.first)}`;
    const said = isPerEvent ? [...new Set(seen.warnings)] : seen.warnings;
    return said.length === 0 ? 'guards' : `warns ${said.join(', ')}`;
  } catch (error) {
    if (!isShallotError(error)) throw error;
    return `${error.result === undefined ? 'refuses' : 'fails'} ${error.code}`;
  }
}
