import type { RedactionOptions } from '@shallot/plugin-redaction';
import { expect, it } from 'vitest';

import { isThorough } from '../../../scripts/is-thorough.ts';
import { leaksOf, leaksOfKilled, sinks } from '../test/sinks.ts';

const key = '0123456789abcdef0123456789abcdef';

const choices: readonly [string, RedactionOptions][] = [
  ['placeholders, by the key of the process', {}],
  ['placeholders, by a key', { key }],
  [
    'a detector of its own',
    { key, detectors: { email: false }, own: [{ name: 'mail', pattern: '[a-z]+@raw-[a-z]+[.]example' }] },
  ],
];

it.each(choices)('no value is in any sink, after any commit, with %s', async (_, options) => {
  for (let round = 0; round < (isThorough ? 10 : 2); round += 1) {
    for (const isSubmitted of [false, true]) {
      const { leaks } = await leaksOf({ options, isSubmitted });
      expect(Object.fromEntries(leaks)).toEqual({});
    }
  }
});

it.each([false, true])(
  'a process that is killed at a commit leaves no value in any sink (submitted: %s)',
  async (isSubmitted) => {
    const scenario = { options: { key }, isSubmitted };
    const { commits } = await leaksOf(scenario);
    expect(commits).toBeGreaterThan(20);
    for (let commit = isSubmitted ? 1 : 2; commit <= commits; commit += isThorough ? 3 : 10) {
      const leaks = await leaksOfKilled(scenario, [commit % 2 === 0 ? 'before' : 'after', commit]);
      expect([commit, Object.fromEntries(leaks)]).toEqual([commit, {}]);
    }
  },
);

it('without redaction, what killed processes leave has values in every sink that they have come to', async () => {
  const kills = [24, 30, 36].map((commit) => leaksOfKilled({ options: undefined }, ['after', commit]));
  const leaks = await Promise.all(kills);
  expect(sinks.filter((sink) => !leaks.some((each) => each.has(sink)))).toEqual(['free pages', 'errors']);
});
