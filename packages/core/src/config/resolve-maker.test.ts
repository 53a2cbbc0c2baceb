import { describe, expect, it } from 'vitest';

import { brief, errorOf, makeProject } from '../../test/test-project.ts';
import { ShallotError } from '../base/errors.ts';
import { isStore } from './packages/is-store.ts';
import { callMaker, resolveMaker } from './resolve-maker.ts';

const place = { directory: '/', at: { file: '/a.yaml', line: 2 } };
const store = `{ ${['load', 'commit', 'renew', 'requestStop', 'list', 'delete'].map((name) => `${name}() {}`).join(', ')} }`;

function throwing(error: unknown) {
  return errorOf(
    callMaker(
      () => {
        throw error;
      },
      [],
      place,
    ),
  );
}

describe('the function of a module', () => {
  it('is called with what it is given, and anything else is nothing', async () => {
    expect(await callMaker((a: number, b: number) => [a, b], [1, 2], place)).toEqual([1, 2]);
    expect(await callMaker({}, [1], place)).toBeUndefined();
  });

  it('keeps the place of its own error, and gets that of its name for one about its options', async () => {
    const placed = new ShallotError('OPTION_INVALID', { message: 'wrong', at: { file: '/b.yaml' } });
    expect(await throwing(placed)).toBe(placed);
    const plain = new ShallotError('OPTION_INVALID', { message: 'wrong' });
    expect(await throwing(plain)).toMatchObject({
      code: 'OPTION_INVALID',
      message: 'wrong',
      at: place.at,
      cause: plain,
    });
  });

  it('is named with its error', async () => {
    const error = new Error('no tea');
    error.stack = '';
    expect(await throwing(error)).toMatchObject({
      code: 'MODULE_FAILED',
      message: 'no tea (thrown by its function).',
      at: place.at,
      cause: error,
    });
  });
});

it.each([
  [`export default ${store};`, undefined],
  [`export default () => (${store});`, undefined],
  [`export default async ({ is }) => is && (${store});`, undefined],
  ['export default {};', 'it exports default (an object). Its default export must be a store'],
  ['export default () => 5;', 'its function returns something else. Its default export must be a store'],
  ['', 'it exports nothing'],
])('a module makes a store or is named: %s', async (module, fault) => {
  const project = makeProject({ 'store.mjs': module });
  const at = { file: project.path('a.yaml') };
  const make = resolveMaker(
    { use: './store.mjs', options: { is: true } },
    { directory: project.directory, at },
    { what: 'store', is: isStore },
  );
  const made = Promise.resolve(make()).then(isStore);
  const outcome = fault === undefined ? made : errorOf(made).then((error) => brief(project, error)[0]);
  expect(String(await outcome)).toContain(
    fault === undefined ? 'true' : `MODULE_INVALID a.yaml store.mjs provides no store: ${fault}`,
  );
});
