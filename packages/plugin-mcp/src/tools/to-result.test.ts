import { expect, it } from 'vitest';

import { cutTexts, toResult } from './to-result.ts';

const text = (value: string) => ({ type: 'text' as const, text: value });

it('texts are cut to a length in all, each with its head and its tail', () => {
  const cut = cutTexts(
    [text('a'.repeat(50)), text(`head${'b'.repeat(200)}tail`), text('c'.repeat(500))],
    150,
  );
  expect(cut[0]).toEqual(text('a'.repeat(50)));
  expect(cut[1]).toMatchObject({
    text: expect.stringMatching(/^headb+\n\[… cut by 108 of 208 characters …\]\nb+tail$/) as string,
  });
  expect(cut[2]).toEqual(text('[… cut by 500 of 500 characters …]'));
});

it('what fits stays as it is', () => {
  const parts = [text('a'), { type: 'file' as const, mediaType: 'image/png', data: 'aGk=' }, text('b')];
  expect(cutTexts(parts, 2)).toEqual(parts);
});

it('a result without content is shown by its data, which is left out when it is too large', () => {
  const structuredContent = { a: 'x'.repeat(30) };
  expect(toResult({ content: [], structuredContent }, 100)).toEqual({
    content: [text(JSON.stringify(structuredContent))],
    data: structuredContent,
  });
  expect(toResult({ content: [text('short')], structuredContent: { a: 'x'.repeat(200) } }, 100)).toEqual({
    content: [text('short')],
  });
});
