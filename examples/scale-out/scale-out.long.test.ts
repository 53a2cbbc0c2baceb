import { spawnSync } from 'node:child_process';

import { expect, it } from 'vitest';

it('completes every order, though all workers and servers are killed', () => {
  const { DATABASE_URL: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', 'start.ts', '--orders', '12', '--kills', '5'],
    { cwd: import.meta.dirname, encoding: 'utf8', env },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout.match(/^kill -9 of .*$/gm)).toEqual([
    'kill -9 of worker 1',
    'kill -9 of worker 2',
    'kill -9 of worker 3',
    'kill -9 of server 1',
    'kill -9 of server 2',
  ]);
  expect(stdout).toContain('All 12 sessions are completed.');
  expect(stdout).toContain('12 questions were asked and answered, each once.');
});
