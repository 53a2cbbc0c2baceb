import { expect, it } from 'vitest';

import { makeProject } from '../../test/test-project.ts';
import { ShallotError } from '../base/errors.ts';
import { loadConfig } from './load-config.ts';
import { placeRefusal } from './place-refusal.ts';

const cause = new Error('no tea');
const refusal = new ShallotError('PERMISSIONS_UNHEEDED', { message: 'Nobody evaluates them.', cause });

async function placed(config: string, error: unknown): Promise<unknown> {
  const project = makeProject({ 'shallot.config.yaml': config });
  const { merged } = await loadConfig({ cwd: project.directory });
  return placeRefusal(error, merged);
}

it.each([
  ['name: a\npermissions: {}\n', 2],
  ['name: a\nunlock: [.git]\n', 2],
  ['unlock: [.git]\npermissions: {}\n', 2],
])('an agent that is refused for its permissions is blamed on their key: %j', async (config, line) => {
  expect(await placed(config, refusal)).toMatchObject({
    code: 'PERMISSIONS_UNHEEDED',
    message: 'Nobody evaluates them.',
    cause,
    at: { line, column: 1 },
  });
});

it('an agent that is refused for something else keeps its error', async () => {
  const other = new ShallotError('OPTION_INVALID', { message: 'It is wrong.' });
  expect(await placed('permissions: {}\n', other)).toBe(other);
  expect(await placed('permissions: {}\n', cause)).toBe(cause);
  expect(await placed('name: a\n', refusal)).toBe(refusal);
});
