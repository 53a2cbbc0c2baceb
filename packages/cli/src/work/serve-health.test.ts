import { expect, test } from 'vitest';

import { serveHealth } from './serve-health.ts';

test('a probe gets the health of the worker, and its status', async () => {
  await using server = await serveHealth('0');
  const probe = async (): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${server.port}/`);
    return [response.status, await response.json()];
  };
  expect(await probe()).toMatchObject([200, { isHealthy: true }]);
  server.set({ isHealthy: false, answeredAt: 1, error: 'no answer' });
  expect(await probe()).toEqual([503, { isHealthy: false, answeredAt: 1, error: 'no answer' }]);
  server.set({ isHealthy: true, answeredAt: 2 });
  expect(await probe()).toMatchObject([200, { answeredAt: 2 }]);
});

test.each(['x', '', '1:2:x', '99999'])('a port that is none is refused: "%s"', async (typed) => {
  await expect(serveHealth(typed)).rejects.toThrow('write a port');
});

test('a port that is taken is refused', async () => {
  await using server = await serveHealth('127.0.0.1:0');
  await expect(serveHealth(String(server.port))).rejects.toMatchObject({
    cause: expect.objectContaining({ code: 'EADDRINUSE' }) as unknown,
  });
});
