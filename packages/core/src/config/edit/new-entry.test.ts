import { expect, it } from 'vitest';

import { codeEntry, type NewEntry } from './new-entry.ts';

it.each<[string, NewEntry, string]>([
  ['a name', 'memory', "{ use: 'memory' }"],
  [
    'options',
    { use: '@a/b', options: { list: [1, 'a'], 'odd-key': null, on: true } },
    `{ use: '@a/b', options: { list: [1, 'a'], "odd-key": null, on: true } }`,
  ],
  ['no options', { use: 'a', options: {} }, "{ use: 'a', options: {} }"],
  [
    'a quote',
    { use: "it's", options: { b: '\\', c: '\n' } },
    `{ use: "it's", options: { b: "\\\\", c: "\\n" } }`,
  ],
])('an entry with %s is written as code on one line', (_, entry, code) => {
  expect(codeEntry(entry)).toBe(code);
});
