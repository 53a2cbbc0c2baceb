import { expect, it } from 'vitest';

import { callThroughRestarts, type Restart } from '../../test/servers/through-restarts.ts';

const expected = (restarts: readonly Restart[]) => restarts.map(({ tool }, n) => `${tool} ${n}`);

it.each<[Restart['greeting'], number]>([
  [404, 2],
  [500, 3],
  ['hang-up', 3],
  ['silence', 3],
])(
  'a restarted server that answers old sessions with %s loses no call and repeats no write',
  async (greeting, most) => {
    const restarts = (
      greeting === 'silence' ? (['between'] as const) : (['between', 'before', 'after'] as const)
    ).flatMap((death) => (['read', 'write'] as const).map((tool) => ({ death, greeting, tool })));
    const { results, asked, executions } = await callThroughRestarts(restarts);
    expect(results).toEqual(expected(restarts));
    expect(executions).toEqual(restarts.map(() => 1));
    // Writes alone, and only those that may have been executed.
    expect(asked).toBeGreaterThanOrEqual(greeting === 'silence' ? 1 : 2);
    expect(asked).toBeLessThanOrEqual(most);
  },
);
