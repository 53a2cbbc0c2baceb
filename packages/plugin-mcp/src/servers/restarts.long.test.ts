import { expect, it } from 'vitest';

import type { Death, Greeting } from '../../test/servers/restarting-server.ts';
import { callThroughRestarts } from '../../test/servers/through-restarts.ts';

function oneOf<T>(values: readonly [T, ...T[]]): T {
  return values[Math.floor(Math.random() * values.length)] ?? values[0];
}

it('a server that is restarted 100 times at random points loses no call and executes no write twice', async () => {
  const restarts = Array.from({ length: 100 }, () => ({
    death: oneOf<Death>(['between', 'before', 'after']),
    greeting: oneOf<Greeting>([400, 404, 500, 'hang-up', 'silence']),
    tool: oneOf<'read' | 'write'>(['read', 'write']),
  }));
  const { results, executions } = await callThroughRestarts(restarts);
  expect(results).toEqual(restarts.map(({ tool }, n) => `${tool} ${n}`));
  expect(executions).toEqual(restarts.map(() => 1));
});
