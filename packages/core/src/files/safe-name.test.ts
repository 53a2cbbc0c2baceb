import { expect, test } from 'vitest';

import { safeName } from './safe-name.ts';

test.each(['a', 'session-1', '3f0c9c3e-6f8c-4b5a-9f3e-0d6c9a1b2c3d', 'snake_case'])('%s stays', (id) => {
  expect(safeName(id)).toBe(id);
});

const hostile = [
  '',
  '.',
  '..',
  '../../etc/passwd',
  '/abs',
  'a/b',
  'a\\b',
  'a:b',
  'CON',
  'nul',
  'com1',
  'A',
  'É',
  'é',
  'e\u0301',
  '日本',
  '😀',
  '\0',
  '\ud800',
  '\ud801',
  '\ufffd',
  '-rf',
  ' x ',
  'x.',
  '__proto__',
  'x'.repeat(65),
  'x'.repeat(10_000),
  "'; DROP TABLE sessions; --",
];

test('every text gives another name, of which case does not count, that is safe everywhere', () => {
  const names = hostile.map(safeName);
  for (const name of names) expect(name).toMatch(/^[a-z0-9][a-z0-9-]*\.[0-9a-f]{32}$/);
  expect(new Set(names).size).toBe(hostile.length);
});

test('a name cannot be forged as an id', () => {
  const name = safeName('Chat 1');
  expect(name).toMatch(/^chat-1\./);
  expect(safeName(name)).not.toBe(name);
});
