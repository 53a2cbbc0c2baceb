import { describe, expect, it } from 'vitest';

import { splitMarkdown, withClosedFence } from './split-markdown.ts';

function partsOf(markdown: string, kind: 'prose' | 'code' | 'comment'): string {
  return splitMarkdown(markdown)
    .filter((part) => part.kind === kind)
    .map(({ text }) => text)
    .join('|');
}

describe('Splitting Markdown', () => {
  it.each([
    ['a span', 'a `<!-- b -->` c', '`<!-- b -->`'],
    ['a span of two backticks', 'a ``x ` <!-- b -->`` c', '``x ` <!-- b -->``'],
    ['a span over a line break', 'a `b\nc` d', '`b\nc`'],
    ['a fenced block', 'a\n```md\n<!-- b -->\n```\nc', '```md\n<!-- b -->\n```\n'],
    ['a fence of tildes', 'a\n~~~\n```\n~~~\nb', '~~~\n```\n~~~\n'],
    [
      'a fence that only a longer one closes',
      'a\n````\n```\n<!-- b -->\n`````\nc',
      '````\n```\n<!-- b -->\n`````\n',
    ],
    ['a fence that nothing closes', 'a\n```\n<!-- b -->', '```\n<!-- b -->'],
    ['a fence in a quotation', '> a\n> ```\n> <!-- b -->\n> ```\n> c', '> ```\n> <!-- b -->\n> ```\n'],
    ['a fence in a list', '- ```\n  <!-- b -->\n  ```\n- c', '- ```\n  <!-- b -->\n  ```\n'],
    ['an indented block', 'a\n\n    <!-- b -->\n\n    c\nd', '    <!-- b -->\n\n    c\n'],
    [
      'an indented block after a fenced one',
      '```\na\n```\n    <!-- b -->\n',
      '```\na\n```\n|    <!-- b -->\n',
    ],
    ['a block indented by a tab', '\t<!-- b -->\n', '\t<!-- b -->\n'],
    ['a span after an escaped backtick', 'a \\` `b`', '`b`'],
  ])('finds %s to be code', (_, markdown, code) => {
    expect(partsOf(markdown, 'code')).toBe(code);
    expect(partsOf(markdown, 'comment')).toBe('');
  });

  it.each([
    ['in a line', 'a <!-- b --> c', '<!-- b -->'],
    ['over blank lines and fences', '<!-- a\n\n```\n@b\n-->\nc', '<!-- a\n\n```\n@b\n-->\n'],
    ['that holds a backtick', 'a <!-- ` --> b ` c', '<!-- ` -->'],
    ['that is empty', 'a<!---->b<!--->c<!-->d', '<!---->|<!--->|<!-->'],
    ['one after the other', '<!--a--><!--b-->', '<!--a-->|<!--b-->'],
    ['in a list', '- a\n\n    <!-- b -->\n', '<!-- b -->'],
    ['after a paragraph with a stray backtick', 'don`t\n<!-- a ` b -->', '<!-- a ` b -->'],
  ])('finds comments %s', (_, markdown, comments) => {
    expect(partsOf(markdown, 'comment')).toBe(comments);
  });

  it.each([
    ['a comment that is never closed', 'a <!-- b\n\nc'],
    ['a backtick without another', 'a ` b\n\nc ` d'],
    ['an escaped backtick', 'a \\`b\\` c'],
    ['lines that a list indents', '- a\n\n    b\n    - c'],
    ['lines that go on with a paragraph', 'a\n    b'],
    ['the end of a comment alone', 'a --> b'],
  ])('finds %s to be prose', (_, markdown) => {
    expect(partsOf(markdown, 'prose')).toBe(markdown);
  });

  it('does not take a stray backtick and one in a fenced block for a span', () => {
    expect(partsOf('don`t\n```js\nconst a = `<!-- b -->`;\n```\nc', 'prose')).toBe('don`t\n|c');
  });

  it('lets the parts add up to the text', () => {
    const odd = [
      '`',
      '``',
      '```\n',
      '~~~\n',
      '<!--',
      '-->',
      '\n',
      '\n\n',
      '    ',
      '\t',
      '- ',
      '> ',
      'a',
      '\\',
      '\r\n',
    ];
    let seed = 1;
    const pick = (): string => odd[(seed = (seed * 48_271) % 2_147_483_647) % odd.length] ?? '';
    for (let round = 0; round < 3000; round += 1) {
      const markdown = Array.from({ length: 12 }, pick).join('');
      expect(
        splitMarkdown(markdown)
          .map(({ text }) => text)
          .join(''),
      ).toBe(markdown);
    }
  });

  // Quadratic time would be minutes.
  it.each([
    '`',
    '<!--',
    '<!--\n',
    '-->',
    '```\n',
    '- ',
    '> ',
    '    \n',
    ' ',
    '`a``b',
    '\\',
    '<!-->',
    '- ```\n',
    '@',
  ])('takes no time over very many %j', (piece) => {
    const markdown = piece.repeat(200_000 / piece.length);
    expect(
      splitMarkdown(markdown)
        .map(({ text }) => text)
        .join('').length,
    ).toBe(markdown.length);
  });
});

describe('Closing a fence', () => {
  it.each([
    ['prose', 'a', 'a'],
    ['a closed block', 'a\n```\nb\n```', 'a\n```\nb\n```'],
    ['an indented block', 'a\n\n    b', 'a\n\n    b'],
    ['an open block', 'a\n~~~~md\nb', 'a\n~~~~md\nb\n~~~~'],
    ['an open block of which only the first line is there', '```ts', '```ts\n```'],
    ['an open block in a list', '- a\n\n  ```\n  b', '- a\n\n  ```\n  b\n  ```'],
    ['an open block that begins an item', '1. ```\n   b', '1. ```\n   b\n   ```'],
    ['an open block in a quotation', '> ```\n> b', '> ```\n> b\n> ```'],
    ['an open block after a closed one', '```\na\n```\n\n```\nb', '```\na\n```\n\n```\nb\n```'],
  ])('changes what has to be changed: %s', (_, markdown, closed) => {
    expect(withClosedFence(markdown)).toBe(closed);
    expect(withClosedFence(closed)).toBe(closed);
  });
});
