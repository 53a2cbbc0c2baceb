import { expect, test } from 'vitest';

import { checkPlace, isPathOf, pathIn } from './session-place.ts';

const notes = { directory: '/notes/', extension: '.md' };
const results = { directory: '/a/results' };

test('each session has a path of its own, whatever it is called', () => {
  const sessions = ['talk', 'Talk', 'talk.md', '../talk', 'talk/', 'tälk', 'con', ' ', 'a'.repeat(300)];
  for (const place of [notes, results]) {
    const paths = sessions.map((sessionId) => pathIn(place, sessionId));
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(sessions.length);
    for (const path of paths) expect(path).toMatch(/^\/(?:notes\/[^/]+\.md|a\/results\/[^/]+\/)$/);
  }
  expect(pathIn({ directory: '/', extension: '.md' }, 'talk')).toBe('/talk.md');
});

test.each([
  ['the file of a place', '/notes/ada.md', true],
  ['the folder of a place', '/a/results/ada/', true],
  ['a file in the directory for sessions', '/conversation_history/ada.md', true],
  ['a folder in the directory for sessions', '/conversation_history/ada/', true],
  ['the file of another session', '/notes/bob.md', false],
  ['a file of another session in the directory for sessions', '/conversation_history/bob.md', false],
  ['one whose name begins alike', '/conversation_history/ada.b.md', false],
  ['one below a folder', '/conversation_history/ada/x.md', false],
  ['another extension', '/notes/ada.ts', false],
  ['another directory', '/src/ada.md', false],
  ['a way out', '/notes/../src/ada.md', false],
  ['a way out of the directory for sessions', '/conversation_history/ada.md/../../src/', false],
  ['a file for a folder', '/a/results/ada', false],
  ['the root', '/', false],
  ['nothing', '', false],
  ['a number', 7, false],
])('%s: whether it is of the session "ada"', (_, path, expected) => {
  expect(isPathOf(path, 'ada', [notes, results])).toBe(expected);
});

test.each([
  [{ directory: '/notes' }, undefined],
  [{ directory: '/notes/', extension: '.md' }, undefined],
  [{ directory: 'notes' }, 'mine declared a session path in "notes". Write an absolute path'],
  [{ directory: '/notes', extension: 'md' }, 'with the extension "md". Write a dot and lower-case letters'],
  [{ directory: '/notes', extension: '.M' }, 'with the extension ".M"'],
  [{ directory: '/notes', extension: '' }, 'with the extension ""'],
])('a plugin declares the place %j: %s', (place, fault) => {
  const failed: unknown[] = [];
  try {
    checkPlace(place, 'mine');
  } catch (error) {
    failed.push(error);
  }
  const message = expect.stringContaining(fault ?? '') as string;
  expect(failed).toMatchObject(
    fault === undefined ? [] : [{ code: 'OPTION_INVALID', plugin: 'mine', message }],
  );
});
