import { expect, it } from 'vitest';

import { lastWords } from './versions-of.ts';

it('the reason of npm is told without the members of its error', () => {
  const stderr = [
    'npm error code ECONNREFUSED',
    'npm error syscall connect',
    'npm error errno ECONNREFUSED',
    'npm error FetchError: request to http://127.0.0.1:9/tea failed, reason: connect ECONNREFUSED 127.0.0.1:9',
    'npm error     at ClientRequest.<anonymous> (/usr/lib/node_modules/npm/index.js:130:14)',
    "npm error   code: 'ECONNREFUSED',",
    "npm error   errno: 'ECONNREFUSED',",
    "npm error   type: 'system'",
    'npm error A complete log of this run can be found in: /root/.npm/_logs/debug-0.log',
  ].join('\n');
  expect(lastWords({ status: 1, stdout: '', stderr })).toBe(
    'FetchError: request to http://127.0.0.1:9/tea failed, reason: connect ECONNREFUSED 127.0.0.1:9.',
  );
});
