import { expect, it } from 'vitest';

import { checkAbout } from './about-size.ts';
import { weigh } from './weigh.ts';
import { withFile } from './with-file.ts';

it.each([
  ['', 40],
  ['text', 44],
  [7, 8],
  [null, 8],
  [[], 40],
  [[1, 'a'], 40 + 16 + 8 + 41],
  [{ a: { b: 'c' } }, 40 + 8 + 40 + 8 + 41],
])('%j takes about %d bytes of memory', (value, bytes) => {
  expect(weigh(value)).toBe(bytes);
});

it('the notes of a session take less than 1024 bytes', () => {
  const about = { title: 'é'.repeat(5) };
  expect(checkAbout(about)).toBe(about);
  const room = 1023 - JSON.stringify({ cwd: '' }).length;
  expect(checkAbout({ cwd: 'x'.repeat(room) }).cwd).toHaveLength(room);
  expect(() => checkAbout({ cwd: 'x'.repeat(room + 1) })).toThrow(
    'The notes of a session (cwd) take 1024 bytes of JSON; 1024 are too many.',
  );
});

it('the files of a session are noted until its notes are full', () => {
  const one = withFile({ id: 's', about: { title: 'A' } }, '/a', 'memory');
  expect(withFile({ id: 's', about: one }, '/b', 'memory')).toEqual({ title: 'A', files: ['/a', '/b'] });
  expect(withFile({ id: 's', about: undefined }, '/a', 'memory')).toEqual({ files: ['/a'] });
  expect([Object.isFrozen(one), Object.isFrozen(one.files)]).toEqual([true, true]);
  const room = 1023 - JSON.stringify({ title: 'A', files: ['/a', ''] }).length;
  expect(withFile({ id: 's', about: one }, 'x'.repeat(room), 'memory').files).toHaveLength(2);
  expect(() => withFile({ id: 's', about: one }, 'x'.repeat(room + 1), 'memory')).toThrow(
    expect.objectContaining({
      code: 'OPTION_INVALID',
      plugin: 'memory',
      message: expect.stringContaining('its 1 files and folders, and the other notes') as string,
    }),
  );
});
