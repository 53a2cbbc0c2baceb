import { expect, it } from 'vitest';

import { parseConfigText } from '../load-config.ts';
import { errorOf } from '../test-project.ts';

it.each([
  [
    'a line that is indented too far',
    'model: ./m.ts\n\n  maxSteps: 5\n',
    '3:3',
    'as if it belonged to the value above it',
  ],
  ['a line that is indented too little', 'settings:\n  topP: 1\n seed: 2\n', '3:1', 'fits nothing above it'],
  [
    'an entry that is indented too little',
    'plugins:\n  - use: a\n   options: {}\n',
    '3:1',
    'fits nothing above it',
  ],
  ['a tab', 'settings:\n\ttopP: 1\n', '2:1', 'use spaces'],
  ['a second colon', 'name: bee: club\n', '1:7', 'put quotes around a text that has one'],
  [
    'a colon that is missing',
    'plugins:\n  - use: a\n    options\n    id: b\n',
    '3:5',
    'a colon and a space are missing',
  ],
  ['a quote that is open', 'name: "bee\nmaxSteps: 5\n', '3:1', 'is not closed before the end'],
  ['a list that is open', 'plugins: [a, b\nname: c\n', '2:1', 'is not closed with ]'],
  ['an object that is open', 'plugins: [{ use: a ]\nname: c\n', '1:20', 'is not closed with }'],
  ['a comma too many', 'tools: [./a.ts,,./b.ts]\n', '1:16', 'a comma too many'],
  ['a reserved character', 'name: @bee\n', '1:7', 'put quotes around it'],
  ['what looks like a tag', 'name: !bee\n', '1:7', 'put quotes around a text that begins with "!"'],
  ['a wrong escape', String.raw`name: "C:\coffee"` + '\n', '1:10', 'use single quotes'],
  ['text behind a closing quote', 'name: "bee" club\n', '1:13', 'belongs to nothing before it'],
  ['two documents', 'name: a\n---\nname: b\n', '2:1', 'keep one document'],
  [
    'an alias without its anchor',
    'name: a\ntools: [*tools]\n',
    '2:9',
    'there is no anchor &tools before the alias *tools',
  ],
  ['a merge key', 'settings: &s { topP: 1 }\nredact:\n  <<: *s\n', '3:3', 'write the keys out'],
])('%s is told in plain words, at its own place', async (_, text, place, words) => {
  const error = await errorOf(parseConfigText(text, 'c.yaml'));
  const { message, at, code } = error;
  expect(code).toBe('CONFIG_SYNTAX');
  expect(message).toContain(words);
  expect(`${at?.line}:${at?.column}`).toBe(place);
});
