import { expect, it } from 'vitest';

import { errorOf } from '../../../test/test-project.ts';
import { parseConfigText } from '../load-config.ts';

it.each([
  [
    'a line that is indented too far',
    'model: ./m.ts\n\n  maxSteps: 5\n',
    '3:3',
    'as if it belonged to the value above',
  ],
  [
    'a line that is indented too little',
    'settings:\n  topP: 1\n seed: 2\n',
    '3:1',
    'does not match any line above',
  ],
  [
    'an entry that is indented too little',
    'plugins:\n  - use: a\n   options: {}\n',
    '3:1',
    'does not match any line above',
  ],
  ['a tab', 'settings:\n\ttopP: 1\n', '2:1', 'use spaces'],
  ['a second colon', 'name: bee: club\n', '1:7', 'put the value in quotes'],
  [
    'a colon that is missing',
    'plugins:\n  - use: a\n    options\n    id: b\n',
    '3:5',
    'a colon and a space are missing',
  ],
  ['a quote that is open', 'name: "bee\nmaxSteps: 5\n', '3:1', 'is not closed'],
  ['a list that is open', 'plugins: [a, b\nname: c\n', '2:1', 'is not closed with ]'],
  ['an object that is open', 'plugins: [{ use: a ]\nname: c\n', '1:20', 'is not closed with }'],
  ['an extra comma', 'tools: [./a.ts,,./b.ts]\n', '1:16', 'an extra comma'],
  ['a reserved character', 'name: @bee\n', '1:7', 'put it in quotes'],
  ['what looks like a tag', 'name: !bee\n', '1:7', 'put a string that starts with "!" in quotes'],
  ['a wrong escape', String.raw`name: "C:\coffee"` + '\n', '1:10', 'use single quotes'],
  ['text behind a closing quote', 'name: "bee" club\n', '1:13', 'does not belong to anything before it'],
  ['two documents', 'name: a\n---\nname: b\n', '2:1', 'keep one document'],
  [
    'an alias without its anchor',
    'name: a\ntools: [*tools]\n',
    '2:9',
    'anchor &tools before the alias *tools',
  ],
  ['a merge key', 'settings: &s { topP: 1 }\nredact:\n  <<: *s\n', '3:3', 'write the keys out'],
])('%s is told in plain words, at its own place', async (_, text, place, words) => {
  const error = await errorOf(parseConfigText(text, 'c.yaml'));
  const { message, at, code } = error;
  expect(code).toBe('CONFIG_SYNTAX');
  expect(message).toContain(words);
  expect(`${at?.line}:${at?.column}`).toBe(place);
});
