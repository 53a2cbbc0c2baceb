import { expect, test } from 'vitest';

import { readMarkdown } from './markdown.ts';

test('a fence has its language, its code without the indent, and the line of its first line', () => {
  const { fences } = readMarkdown('# Title\n\n- item\n\n  ```ts\n  const a = 1;\n    b();\n  ```\n');
  expect(fences).toEqual([
    { language: 'ts', info: 'ts', code: 'const a = 1;\n  b();\n', line: 6, given: '' },
  ]);
});

test('a longer fence may hold a shorter one', () => {
  const { fences } = readMarkdown('````text\n```ts\nx\n```\n````\n\n```sh\nls\n```\n');
  expect(fences.map(({ language, code }) => [language, code])).toEqual([
    ['text', '```ts\nx\n```\n'],
    ['sh', 'ls\n'],
  ]);
});

test('only the comment directly before a fence is given to it', () => {
  const { fences } = readMarkdown('<!-- given: let a; -->\n\n```ts\na;\n```\n\nProse.\n\n```ts\nb;\n```\n');
  expect(fences.map(({ given }) => given)).toEqual(['let a;', '']);
});

test('links count outside of code and comments', () => {
  const { links } = readMarkdown(
    '[a](a.md) and ![b](b.png "B")\n\n`[c](c.md)` <!-- [d](d.md) -->\n\n```text\n[e](e.md)\n```\n\n[f]: f.md\n',
  );
  expect(links).toEqual([
    { target: 'a.md', line: 1 },
    { target: 'b.png', line: 1 },
    { target: 'f.md', line: 9 },
  ]);
});

test('anchors are made as GitHub makes them', () => {
  const { anchors } = readMarkdown(
    '# The `run` object: a\n\n## A & B\n\n## Same\n\n## Same\n\n## [L](x)\n\n<a id="own"></a>\n',
  );
  expect([...anchors]).toEqual(['own', 'the-run-object-a', 'a--b', 'same', 'same-1', 'l']);
});
