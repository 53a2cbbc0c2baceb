import { expect, it } from 'vitest';

import { callThroughRestarts, type Restart } from '../../test/servers/through-restarts.ts';

// The long tests have other greetings, and many more restarts.
it('a restarted server that refuses old sessions with 400 loses no call and repeats no write', async () => {
  const restarts = (['between', 'before', 'after'] as const).flatMap((death) =>
    (['read', 'write'] as const).map((tool): Restart => ({ death, greeting: 400, tool })),
  );
  const { results, asked, executions } = await callThroughRestarts(restarts);
  expect(results).toEqual(restarts.map(({ tool }, n) => `${tool} ${n}`));
  expect(executions).toEqual(restarts.map(() => 1));
  // Writes alone, and only those that may have been executed.
  expect(asked).toBe(2);
});
